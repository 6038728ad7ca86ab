// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// The style sheet of the page, without the rules that depend on the creatures.
enum GalleryStyle {
  private static let light = """
    color-scheme:light;--paper:#f6f2eb;--card:#fff;--ink:#2a2140;--soft:#655c79;--well:#ebe4d9;--pick:#fff;\
    --accent:#6546c3;--pale:#e4dcd1;--gap:#fff;--ghost:#fff;--blank:#ded6ee;--peek:#a794dc;\
    --lift:0 1px 2px #2a214014,0 6px 18px #2a214012;--high:0 2px 4px #2a214018,0 16px 36px #2a214026
    """

  private static let dark = """
    color-scheme:dark;--paper:#16121f;--card:#221c30;--ink:#f3eff9;--soft:#aca2c1;--well:#2a2338;--pick:#4f4370;\
    --accent:#bda7ff;--pale:#453b59;--gap:#221c30;--ghost:#d9d0ee;--blank:#30283f;--peek:#665598;\
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
    \(viewer)
    \(media)
    """

  private static let page = """
    *,*::before,*::after{box-sizing:border-box}
    html{scrollbar-gutter:stable;background:var(--paper);-webkit-text-size-adjust:100%;text-size-adjust:100%}
    body{margin:0;min-height:100vh;min-height:100dvh;display:flex;flex-direction:column;color:var(--ink);
     font:1rem/1.45 ui-rounded,"SF Pro Rounded","Nunito","Segoe UI Variable Text","Segoe UI",system-ui,sans-serif}
    h1,h2,p,ul,figure{margin:0;padding:0}
    a{color:inherit}
    svg{display:block;flex:none}
    .sprites{position:absolute;width:0;height:0}
    .pale{fill:var(--pale)}.gaps{fill:var(--gap)}
    .nap{fill:none;stroke:var(--soft);stroke-width:1.7;stroke-linecap:round}
    .sr{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
    .wrap{width:100%;max-width:80rem;margin:0 auto;padding:0 clamp(1rem,4vw,2.5rem)}
    main{flex:1;display:flex;flex-direction:column}
    .top{padding-top:clamp(1.25rem,4vw,2.5rem)}
    .brand{display:flex;align-items:flex-end;gap:clamp(.7rem,2vw,1.1rem);border-bottom:2px solid var(--ink)}
    .lid{transform:scaleY(0);transform-box:fill-box;transform-origin:50% 0}
    .logo{width:clamp(3.75rem,10vw,6.5rem);aspect-ratio:104/64;height:auto;margin-bottom:-1px;color:var(--accent)}
    .names{flex:1;min-width:0;padding-bottom:.6rem}
    h1{font-size:clamp(1.625rem,5vw,3rem);line-height:1.08;font-weight:800;letter-spacing:-.025em;overflow-wrap:anywhere;
     display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:3;overflow:hidden;padding:0 0 .06em .1em;margin-left:-.1em}
    .count{color:var(--soft);margin-top:.15rem;font-variant-numeric:tabular-nums}
    .count>span+span{display:none}
    .foot{color:var(--soft);font-size:.8125rem;padding-top:3.5rem;padding-bottom:1.75rem}
    .hush{margin:auto;text-align:center;padding:3rem 1rem}
    .hush svg{width:11rem;height:auto;margin:0 auto 1.25rem;overflow:visible}
    .ghost{fill:var(--ghost)}.shade{fill:var(--ink);opacity:.1}
    .zs{fill:none;stroke:var(--soft);stroke-width:3;stroke-linecap:round;stroke-linejoin:round}
    .hush h2{font-size:1.5rem;line-height:1.25;letter-spacing:-.015em}
    .hush p{color:var(--soft);margin:.4rem auto 0;max-width:26rem;text-wrap:balance}
    .none{display:none}
    .all{display:inline-block;margin-top:1.25rem;padding:.7rem 1.2rem;border-radius:999px;line-height:1.1;font-weight:600;
     cursor:pointer;background:var(--accent);color:var(--paper)}
    .all:hover{filter:brightness(1.1)}
    """

  private static let controls = """
    .bar{position:sticky;top:0;z-index:2;background:var(--paper);padding:.8rem 0;container-type:scroll-state}
    .bar::after{content:"";position:absolute;inset:auto 0 0;height:1px;background:var(--ink);opacity:0}
    @container scroll-state(stuck:top){.bar::after{opacity:.12}}
    .bar .wrap{display:flex;flex-wrap:wrap;justify-content:space-between;gap:.6rem 2rem}
    .choice{display:flex;align-items:center;gap:.6rem;min-width:0}
    .name{font-size:.875rem;color:var(--soft)}
    .seg{display:flex;background:var(--well);border-radius:999px;padding:3px}
    .seg label{position:relative;border-radius:999px;cursor:pointer;font-size:.9375rem;line-height:1;
     padding:.56rem .85rem;white-space:nowrap;color:var(--soft);font-weight:600;text-align:center}
    .seg label:hover{color:var(--ink)}
    .seg input{position:absolute;inset:0;width:100%;height:100%;margin:0;opacity:0;cursor:pointer}
    .seg label:has(:checked){background:var(--pick);color:var(--ink);box-shadow:0 1px 3px #2a214026}
    .theme{align-self:flex-start}.theme .name{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
    .theme label{padding:.45rem}.theme svg{width:1.125rem;height:1.125rem}
    .seg label:has(:focus-visible),.open:focus-visible,.get:focus-visible,.viewer nav a:focus-visible{
     outline:3px solid var(--accent);outline-offset:2px}
    """

  private static let cards = """
    .grid{list-style:none;display:grid;gap:clamp(.8rem,2vw,1.5rem);padding:.75rem 0 0;
     grid-template-columns:repeat(auto-fill,minmax(min(100%,13.375rem),1fr));reading-flow:grid-order}
    .card{position:relative;display:flex;flex-direction:column;background:var(--card);border-radius:1.25rem;
     box-shadow:var(--lift);scroll-margin-block:30vh;content-visibility:auto;contain-intrinsic-size:auto 20rem;
     transition:transform .18s ease,box-shadow .18s ease}
    .card:target{outline:3px solid var(--accent);outline-offset:3px}
    .card:has(a.open:hover){transform:translateY(-4px) rotate(-.6deg);box-shadow:var(--high)}
    .card:has(.open:focus-visible){outline:3px solid var(--accent);outline-offset:3px}
    .open{display:flex;flex-direction:column;flex:1;text-decoration:none;border-radius:inherit}
    .open:focus-visible{outline:none}
    .card img,.blank{display:block;width:100%;height:auto;aspect-ratio:1;border-radius:1.25rem 1.25rem 0 0;
     background:var(--well);overflow:hidden}
    .card img{object-fit:cover;color:var(--soft);font-size:.8125rem;text-align:center}
    .blank{background:var(--blank);color:var(--peek);display:flex;align-items:flex-end;justify-content:center}
    .blank svg{width:62%;height:auto;aspect-ratio:104/64;transform:translateY(12%)}
    .text{padding:.85rem 1rem .95rem;display:flex;flex-direction:column;gap:.45rem;flex:1}
    .text h2{font-size:1.0625rem;line-height:1.3;letter-spacing:-.01em;overflow-wrap:anywhere;margin-bottom:auto;
     display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:2;overflow:hidden}
    .text h2 i,.viewer h2 i{color:var(--soft);font-weight:500}
    .faces{display:flex;align-items:center;gap:.45rem;height:1.375rem;color:var(--soft);font-size:.8125rem;line-height:1.2}
    .faces svg{height:1.3125rem;width:7.51625rem}
    .faces svg:has(+span:not(.sr)){width:1.3125rem}
    .faces>span:not(.sr)::first-letter{text-transform:uppercase}
    .meta{color:var(--soft);font-size:.8125rem;display:flex;gap:.1rem .75rem;flex-wrap:wrap;justify-content:space-between;
     font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
    .gets{position:absolute;top:.6rem;right:.6rem;left:.6rem;display:flex;flex-direction:column;align-items:flex-end;gap:.4rem}
    .get{display:flex;align-items:center;gap:.35rem;padding:.4rem .7rem .4rem .55rem;border-radius:1rem;font-size:.8125rem;
     line-height:1.2;font-weight:600;text-decoration:none;background:var(--card);color:var(--accent);box-shadow:var(--lift)}
    .get:hover{background:var(--accent);color:var(--paper)}
    .get svg{width:1rem;height:1rem}
    """

  private static let viewer = """
    .viewer{display:none}
    .viewer:target{position:fixed;inset:0;z-index:9;display:flex;align-items:center;justify-content:center;
     padding:1rem 5.5rem;background:#17121f;color:#f6f2fb;outline:none;--soft:#b9afcc;--pale:#4c4160;--gap:#17121f;
     --accent:#bda7ff}
    html:has(.viewer:target){background:#17121f}
    body:has(.viewer:target){overflow:hidden}
    body:has(.viewer:target)>:not(.viewer){visibility:hidden}
    .veil{position:absolute;inset:0;cursor:zoom-out}
    .viewer figure{position:relative;display:grid;justify-items:center;gap:1rem;max-width:100%;pointer-events:none}
    .viewer picture{display:contents}
    .viewer img{display:block;max-width:100%;max-height:calc(100vh - 7.5rem);max-height:calc(100dvh - 7.5rem);
     border-radius:1.25rem;object-fit:contain}
    .viewer figcaption{display:flex;flex-wrap:wrap;align-items:center;justify-content:center;gap:.25rem 1.25rem;
     max-width:100%;pointer-events:auto}
    .viewer h2{font-size:1.375rem;line-height:1.25;letter-spacing:-.015em;overflow-wrap:anywhere;display:-webkit-box;
     -webkit-box-orient:vertical;-webkit-line-clamp:2;overflow:hidden}
    .viewer .meta{font-size:.875rem;gap:.1rem 1rem}
    .viewer nav a{position:absolute;width:3rem;height:3rem;display:grid;place-items:center;border-radius:50%;
     background:#ffffff1a;text-decoration:none}
    .viewer nav a:hover{background:#ffffff38}
    .viewer nav a::before{content:"";width:.8rem;height:.8rem;border:solid;border-width:2.5px 0 0 2.5px}
    .viewer nav .back::before{transform:translateX(25%) rotate(-45deg)}
    .viewer nav .on::before{transform:translateX(-25%) rotate(135deg)}
    .viewer nav .shut::before,.viewer nav .shut::after{content:"";grid-area:1/1;width:1.2rem;height:0;border:solid;
     border-width:2.5px 0 0;transform:rotate(45deg)}
    .viewer nav .shut::after{transform:rotate(-45deg)}
    .viewer nav .back{left:1.25rem;top:calc(50% - 1.5rem)}
    .viewer nav .on{right:1.25rem;top:calc(50% - 1.5rem)}
    .viewer nav .shut{right:1.25rem;top:1.25rem}
    """

  private static let media = """
    @media (max-width:40rem){
     .brand{align-items:stretch}.logo{align-self:flex-end}
     .bar{position:static}.choice{width:100%}.brand .choice{width:auto}.name{width:3.4rem;flex:none}.seg{flex:1}
     .bar .seg label{flex:auto;padding-left:.2rem;padding-right:.2rem;font-size:.875rem}
     .theme .seg{flex-direction:row}
     .grid{grid-template-columns:repeat(2,minmax(0,1fr))}
     .text{padding:.7rem .75rem .8rem;gap:.35rem}.card{border-radius:1rem;contain-intrinsic-size:auto 17rem}
     .card img,.blank{border-radius:1rem 1rem 0 0}
     .viewer:target{padding:1rem 1rem 5rem}
     .viewer img{max-height:calc(100vh - 13rem);max-height:calc(100dvh - 13rem)}
     .viewer nav{position:absolute;inset:auto 0 1.25rem;display:flex;justify-content:center;gap:.75rem}
     .viewer nav a,.viewer nav .back,.viewer nav .on,.viewer nav .shut{position:static}
    }
    @media (prefers-reduced-motion:no-preference){
     .lid{animation:blink 7s infinite}
     @keyframes blink{0%,94%,100%{transform:scaleY(0)}96%,98%{transform:scaleY(1)}}
     .viewer:target figure{animation:rise .22s ease-out}
     @keyframes rise{from{opacity:0;transform:scale(.96)}}
    }
    @media (prefers-reduced-motion:reduce){.card{transition:none}.card:has(a.open:hover){transform:none}}
    @media (prefers-contrast:more){:root{--soft:var(--ink)}}
    @media (forced-colors:active){
     .card,.get{border:1px solid CanvasText}.seg label:has(:checked){outline:2px solid Highlight}
    }
    @media print{
     .bar,.theme,.viewer,.gets{display:none}.card{box-shadow:none;border:1px solid #ccc;break-inside:avoid;
      content-visibility:visible}
    }
    """
}
