// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// The page's style sheet, but for the rules that depend on the creatures.
enum GalleryStyle {
  private static let light = """
    color-scheme:light;--paper:#f6f2eb;--card:#fff;--ink:#2a2140;--soft:#685f7c;--well:#ece5da;--pick:#fff;\
    --accent:#6546c3;--face:#f4a534;--face-ink:#2a2140;--face-off:#ddd4c8;--face-gap:#fff;\
    --lift:0 1px 2px #2a214014,0 6px 18px #2a214012;--high:0 2px 4px #2a214018,0 16px 36px #2a214026
    """

  private static let dark = """
    color-scheme:dark;--paper:#16121f;--card:#211b2e;--ink:#f3eff9;--soft:#aaa0bf;--well:#2a2338;--pick:#4a3e66;\
    --accent:#bda7ff;--face:#ffb84f;--face-ink:#2a2140;--face-off:#463c59;--face-gap:#211b2e;\
    --lift:0 1px 2px #0006,0 6px 18px #0004;--high:0 2px 4px #0008,0 16px 36px #000a
    """

  /// All rules.
  static let text = """
    :root{\(light)}
    @media (prefers-color-scheme:dark){:root:not(:has(#theme-light:checked)){\(dark)}}
    :root:has(#theme-dark:checked){\(dark)}
    \(page)
    \(controls)
    \(cards)
    \(faces)
    \(viewer)
    \(media)
    """

  private static let page = """
    *,*::before,*::after{box-sizing:border-box}
    html{scrollbar-gutter:stable;-webkit-text-size-adjust:100%;text-size-adjust:100%}
    body{margin:0;min-height:100vh;background:var(--paper);color:var(--ink);
     font:1rem/1.45 ui-rounded,"SF Pro Rounded","Nunito","Segoe UI Variable Text","Segoe UI",system-ui,sans-serif}
    h1,h2,p,ul,figure{margin:0;padding:0}
    a{color:inherit}
    .sr{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
    .wrap{max-width:80rem;margin:0 auto;padding:0 clamp(1rem,4vw,2.5rem)}
    .top{padding-top:clamp(1.5rem,5vw,3.25rem)}
    .brand{display:flex;align-items:flex-end;gap:1rem;border-bottom:2px solid var(--ink)}
    .lid{transform:scaleY(0);transform-box:fill-box;transform-origin:50% 0}
    .logo{flex:none;width:clamp(4.5rem,11vw,6.5rem);height:auto;display:block;margin-bottom:-2px;color:var(--accent)}
    .brand div{padding-bottom:.7rem;min-width:0}
    h1{font-size:clamp(1.75rem,5vw,3rem);line-height:1.08;font-weight:800;letter-spacing:-.025em;overflow-wrap:anywhere}
    .count{color:var(--soft);margin-top:.25rem}
    .count>span+span{display:none}
    .foot{color:var(--soft);font-size:.875rem;padding-top:3rem;padding-bottom:2rem}
    .hush{text-align:center;padding:clamp(3rem,12vh,7rem) 1rem}
    .hush svg{width:9rem;height:auto;display:block;margin:0 auto 1.5rem;color:var(--face-off)}
    .hush h2{font-size:1.5rem;letter-spacing:-.01em}
    .hush p{color:var(--soft);margin:.35rem auto 0;max-width:30rem}
    .none{display:none}
    """

  private static let controls = """
    .bar{position:sticky;top:0;z-index:2;background:var(--paper);padding-top:.8rem;padding-bottom:.8rem}
    .bar .wrap{display:flex;flex-wrap:wrap;gap:.6rem 1.5rem}
    .bar .end{margin-left:auto}
    .choice{display:flex;align-items:center;gap:.55rem;min-width:0}
    .name{font-size:.875rem;color:var(--soft)}
    .seg{display:flex;background:var(--well);border-radius:999px;padding:3px}
    .seg label{position:relative;border-radius:999px;cursor:pointer;font-size:.9375rem;line-height:1;
     padding:.56rem .8rem;white-space:nowrap;color:var(--soft);font-weight:600}
    .seg label:hover{color:var(--ink)}
    .seg input{position:absolute;inset:0;width:100%;height:100%;margin:0;opacity:0;cursor:pointer}
    .seg label:has(:checked){background:var(--pick);color:var(--ink);box-shadow:0 1px 3px #2a214026}
    .seg label:has(:focus-visible),.open:focus-visible,.get:focus-visible,.viewer nav a:focus-visible{
     outline:3px solid var(--accent);outline-offset:2px}
    """

  private static let cards = """
    .grid{list-style:none;display:grid;gap:clamp(.8rem,2vw,1.5rem);padding:.9rem 0 0;
     grid-template-columns:repeat(auto-fill,minmax(min(100%,13.375rem),1fr));reading-flow:grid-order}
    .card{position:relative;display:flex;flex-direction:column;background:var(--card);border-radius:1.25rem;
     box-shadow:var(--lift);scroll-margin-block:30vh;content-visibility:auto;contain-intrinsic-size:auto 20rem;
     transition:transform .18s ease,box-shadow .18s ease}
    .card:target{outline:3px solid var(--accent);outline-offset:3px}
    .card:has(.open:hover){transform:translateY(-4px) rotate(-.6deg);box-shadow:var(--high)}
    .card:has(.open:focus-visible){outline:3px solid var(--accent);outline-offset:3px}
    .open{display:flex;flex-direction:column;flex:1;text-decoration:none;border-radius:inherit}
    .open:focus-visible{outline:none}
    .card img,.blank{display:block;width:100%;height:auto;aspect-ratio:1;border-radius:1.25rem 1.25rem 0 0;background:var(--well)}
    .card img{object-fit:cover}
    .blank{background:
     radial-gradient(circle .5rem at calc(50% - 1.7rem) 51%,var(--face-ink) 94%,#0000),
     radial-gradient(circle .5rem at calc(50% + 2.3rem) 51%,var(--face-ink) 94%,#0000),
     radial-gradient(circle 1.25rem at calc(50% - 2rem) 50%,#fff 97%,#0000),
     radial-gradient(circle 1.25rem at calc(50% + 2rem) 50%,#fff 97%,#0000),
     var(--face-off)}
    .text{padding:.85rem 1rem 1rem;display:flex;flex-direction:column;gap:.4rem;flex:1}
    .text h2{font-size:1.0625rem;line-height:1.25;letter-spacing:-.01em;overflow-wrap:anywhere;
     display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:2;overflow:hidden}
    .text h2 i,.viewer h2 i{color:var(--soft);font-weight:500}
    .meta{color:var(--soft);font-size:.8125rem;margin-top:auto;display:flex;gap:.2rem .75rem;flex-wrap:wrap;
     justify-content:space-between}
    .get{display:inline-block;margin:0 1rem 1rem;font-size:.875rem;font-weight:600;color:var(--accent);border-radius:.3rem}
    """

  /// Faces that cry out, one after the other: the row of pale ones is the background, as many coloured ones as the rating
  /// has lie on it.
  private static let faces = """
    .faces{--eye:var(--face-gap);--skin:var(--face-off);position:relative;width:6.5em;font-size:1rem}
    .faces,.faces::before{height:1.3em;background-size:1.3em 1.3em;background-repeat:repeat-x;background-image:
     radial-gradient(circle .1em at .45em .53em,var(--eye) 88%,#0000),
     radial-gradient(circle .1em at .85em .53em,var(--eye) 88%,#0000),
     radial-gradient(ellipse .15em .2em at .65em .86em,var(--eye) 90%,#0000),
     radial-gradient(circle .56em at .65em .65em,var(--skin) 96%,#0000)}
    .faces::before{content:"";--eye:var(--face-ink);--skin:var(--face);position:absolute;left:0;top:0;width:0}
    .h0{opacity:.55}
    \((1...10).map { ".h\($0)::before{width:calc(.65em*\($0))}" }.joined())
    """

  private static let viewer = """
    .viewer{display:none}
    .viewer:target{position:fixed;inset:0;z-index:9;display:flex;flex-direction:column;align-items:center;
     justify-content:center;gap:1rem;padding:1rem;background:#120d1cf2;color:#f6f2fb;outline:none;--soft:#b9afcc;
     --face-off:#4c4160;--face-gap:#1a1426;--face:#ffb84f}
    body:has(.viewer:target){overflow:hidden}
    body:has(.viewer:target)>:not(.viewer){visibility:hidden}
    .veil{position:absolute;inset:0;cursor:zoom-out}
    .viewer figure{position:relative;display:grid;justify-items:center;gap:.9rem;max-width:100%;pointer-events:none}
    .viewer img{display:block;max-width:100%;max-height:calc(100vh - 11rem);
     max-height:calc(100dvh - 11rem);border-radius:1.25rem;object-fit:contain}
    .viewer figcaption{display:flex;flex-wrap:wrap;align-items:center;justify-content:center;gap:.25rem 1.1rem;
     max-width:100%;pointer-events:auto}
    .viewer h2{font-size:1.25rem;line-height:1.25;overflow-wrap:anywhere;max-height:2.5em;overflow:hidden}
    .viewer .meta{margin:0}
    .viewer nav{position:relative;display:flex;gap:.5rem}
    .viewer nav a{text-decoration:none;font-weight:600;font-size:.9375rem;line-height:1;padding:.75rem 1.1rem;
     border-radius:999px;background:#ffffff1f;--accent:#bda7ff}
    .viewer nav a:hover{background:#ffffff38}
    """

  private static let media = """
    @media (max-width:40rem){
     .bar{position:static}.bar .wrap{gap:.7rem}.bar .end{margin-left:0}
     .choice{width:100%}.name{width:3.2rem;flex:none}.seg{flex:1}
     .seg label{flex:1;text-align:center;padding-left:.2rem;padding-right:.2rem;font-size:.875rem}
     .grid{grid-template-columns:repeat(2,minmax(0,1fr))}
     .text{padding:.7rem .75rem .8rem}.faces{font-size:.9375rem}.card{border-radius:1rem;contain-intrinsic-size:auto 17rem}
     .card img,.blank{border-radius:1rem 1rem 0 0}
    }
    @media (prefers-reduced-motion:no-preference){
     .lid{animation:blink 7s infinite}
     @keyframes blink{0%,94%,100%{transform:scaleY(0)}96%,98%{transform:scaleY(1)}}
     .viewer:target figure{animation:rise .22s ease-out}
     @keyframes rise{from{opacity:0;transform:scale(.96)}}
    }
    @media (prefers-reduced-motion:reduce){.card{transition:none}.card:has(.open:hover){transform:none}}
    @media (prefers-contrast:more){:root{--soft:var(--ink)}}
    @media (forced-colors:active){
     .card{border:1px solid CanvasText}.seg label:has(:checked){outline:2px solid Highlight}
     .faces,.blank{forced-color-adjust:none}
    }
    @media print{.bar,.viewer,.get{display:none}.card{box-shadow:none;border:1px solid #ccc;break-inside:avoid}}
    """
}
