// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// The page's style sheet.
enum OutlineStyle {
  private static let light = """
    color-scheme:light;--paper:#f6f7fa;--box:#fff;--ink:#20242f;--soft:#5f657a;--line:#dcdfe8;--well:#eceef4;\
    --accent:#3450c8;--pick:#e3e8fd;--over:#f1f3f8;--text:#1c6b3c;--number:#8a4b00;--wrong:#b3261e;--mark:#ffe58a;\
    --lift:#20242f26
    """

  private static let dark = """
    color-scheme:dark;--paper:#12141a;--box:#191c24;--ink:#e8eaf1;--soft:#9aa1b5;--line:#2d3240;--well:#232733;\
    --accent:#9db2ff;--pick:#2a3358;--over:#20242e;--text:#8fd3a6;--number:#e3b877;--wrong:#ff9389;--mark:#6b5600;\
    --lift:#000a
    """

  static let text = """
    :root{\(light);\(colors(Palette.light))}
    @media (prefers-color-scheme:dark){:root:not([data-theme=light]){\(dark);\(colors(Palette.dark))}}
    :root[data-theme=dark]{\(dark);\(colors(Palette.dark))}
    \(Palette.rules(Palette.light) { place, _ in ".c\(place){--c:var(--c\(place))}" })
    \(page)
    \(tree)
    \(details)
    \(media)
    """

  private static func colors(_ colors: [String]) -> String {
    Palette.rules(colors) { "--c\($0):\($1);" }
  }

  private static let page = """
    *,*::before,*::after{box-sizing:border-box}
    [hidden]{display:none!important}
    html,body{height:100%}
    body{margin:0;display:flex;flex-direction:column;background:var(--paper);color:var(--ink);
     font:14px/1.45 system-ui,"Segoe UI",Helvetica,Arial,sans-serif;-webkit-text-size-adjust:100%;text-size-adjust:100%}
    h1,h2,p,ul,dl,dd,pre{margin:0;padding:0}
    button,input{font:inherit;color:inherit}
    a{color:var(--accent)}
    :focus-visible{outline:2px solid var(--accent);outline-offset:1px}
    .sr{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
    header{display:flex;align-items:center;gap:12px 24px;padding:12px 20px;flex:none}
    .names{flex:1;min-width:0}
    h1{font-size:18px;line-height:1.3;font-weight:650;letter-spacing:-.01em;overflow:hidden;text-overflow:ellipsis;
     white-space:nowrap}
    .facts{color:var(--soft);font-size:13px;overflow:hidden;text-overflow:ellipsis;white-space:nowrap;
     font-variant-numeric:tabular-nums}
    .find{position:relative;flex:0 1 360px;min-width:160px}
    #query{width:100%;height:36px;padding:0 12px;border:1px solid var(--line);border-radius:9px;background:var(--box)}
    #query::placeholder{color:var(--soft);opacity:1}
    .find kbd,#found{position:absolute;right:9px;top:8px;pointer-events:none}
    .find:focus-within kbd,#query:not(:placeholder-shown)~kbd{display:none}
    #found{right:34px;top:9px;font-size:12px;line-height:18px;color:var(--soft);background:var(--box);padding-left:6px;
     font-variant-numeric:tabular-nums}
    kbd{font:12px/18px system-ui,"Segoe UI",Helvetica,Arial,sans-serif;min-width:20px;padding:0 5px;text-align:center;
     border:1px solid var(--line);border-radius:5px;color:var(--soft);background:var(--paper);display:inline-block}
    .tools{display:flex;gap:6px}
    button{border:1px solid var(--line);background:var(--box);border-radius:9px;height:36px;padding:0 12px;
     cursor:pointer}
    button:hover{background:var(--over)}
    .remarks{margin:0 20px 12px;padding:9px 14px;border:1px solid var(--line);border-left:3px solid var(--wrong);
     border-radius:8px;
     background:var(--box);font-size:13px;list-style:none;max-height:7.5em;overflow:auto;overflow-wrap:anywhere;
     flex:none}
    main{position:relative;flex:1;min-height:0;display:grid;grid-template-columns:252px minmax(0,1fr) minmax(280px,26%);
     grid-template-rows:minmax(0,1fr);border-top:1px solid var(--line)}
    .classes{overflow:auto;padding:12px 10px 20px;display:flex;flex-direction:column;gap:6px}
    h2{font-size:12px;font-weight:600;color:var(--soft);padding:0 8px}
    .classes button{display:flex;align-items:center;gap:8px;width:100%;height:auto;min-height:28px;padding:3px 8px;
     border:1px solid transparent;border-radius:7px;background:none;text-align:left;font-size:13px}
    .classes button:hover{background:var(--well)}
    .classes button[aria-pressed=true]{background:var(--pick);border-color:var(--accent)}
    .dot{flex:none;width:9px;height:9px;border-radius:3px;background:var(--c,var(--soft))}
    .classes .name{flex:1;min-width:0;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
    .count{color:var(--soft);font-variant-numeric:tabular-nums;font-size:12px}
    .classes p{padding:0 8px}
    dialog{border:1px solid var(--line);border-radius:14px;background:var(--box);color:var(--ink);padding:22px 26px;
     max-width:34rem;box-shadow:0 18px 50px var(--lift)}
    dialog::backdrop{background:#0006}
    dialog h2{font-size:16px;color:var(--ink);padding:0 0 12px}
    dialog dl>div{display:flex;gap:14px;padding:4px 0}
    dialog dt{flex:0 0 84px}dialog p{color:var(--soft);padding:12px 0 16px}
    """

  private static let tree = """
    .tree{position:relative;overflow:auto;background:var(--box);border:solid var(--line);border-width:0 1px;
     outline-offset:-2px;
     font:13px/var(--row) ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace;padding:6px 0;
     overscroll-behavior:contain;contain:strict}
    #rows{position:relative}
    .row{position:absolute;left:0;right:0;top:0;height:var(--row);display:flex;align-items:center;
     padding:0 14px 0 8px;white-space:pre;cursor:default;overflow:hidden}
    .row:hover{background:var(--over)}
    .row[aria-selected=true]{background:var(--pick)}
    .tree:focus-visible{outline:0}
    .tree:focus-visible .row[aria-selected=true]{box-shadow:inset 0 0 0 1.5px var(--accent),inset 4px 0 var(--accent)}
    .row>*{flex:none}
    .guides{height:100%;
     background:repeating-linear-gradient(90deg,transparent 0 8px,var(--line) 8px 9px,transparent 9px 16px)}
    .level{color:var(--soft);font-size:11px}
    .twist{width:18px;height:100%;position:relative}
    [aria-expanded]>.twist{cursor:pointer}
    [aria-expanded]>.twist::before{content:"";position:absolute;left:5px;top:calc(50% - 4px);
     width:6px;height:8px;background:var(--soft);clip-path:polygon(0 0,100% 50%,0 100%)}
    [aria-expanded=true]>.twist::before{transform:rotate(90deg)}
    .label{color:var(--ink)}
    .colon{color:var(--soft)}
    .class{color:var(--c,var(--ink));font-weight:600}
    .chip{width:8px;height:8px;border-radius:2.5px;background:var(--c);margin-right:6px}
    .text{overflow:hidden;text-overflow:ellipsis;min-width:2em;flex:0 1000 auto!important}
    .label,.text,.class{unicode-bidi:isolate}
    .label{flex:0 1 auto!important;overflow:hidden;text-overflow:ellipsis;max-width:62%}
    .class{flex:0 1 auto!important;overflow:hidden;text-overflow:ellipsis;min-width:3em}
    .row>.short{flex:none!important;min-width:0}
    .k-string .text,.k-url .text{color:var(--text)}
    .k-number .text,.k-boolean .text,.k-date .text,.k-uuid .text{color:var(--number)}
    .k-object .text,.k-array .text,.k-dictionary .text,.k-null .text,.k-data .text,.k-note .text,.k-group .text,
    .number{color:var(--soft)}
    .k-damaged .text{color:var(--wrong);font-weight:600}
    .k-group .text{font-family:system-ui,"Segoe UI",Helvetica,Arial,sans-serif;font-weight:600}
    .row .link{text-decoration:none;border-radius:5px;line-height:19px;padding:0 5px;background:var(--well)}
    .row .link:hover{text-decoration:underline}
    .link.cycle{color:var(--wrong)}
    .thumb{width:20px;height:20px;object-fit:contain;margin-right:8px;border-radius:3px;background:var(--well)}
    .swatch{width:14px;height:14px;border-radius:3px;border:1px solid var(--line);margin-left:2px;
     background:linear-gradient(var(--swatch),var(--swatch)),
     repeating-conic-gradient(#bbb 0 25%,#fff 0 50%) 0 0/8px 8px;forced-color-adjust:none}
    .swatch.large{display:block;width:96px;height:40px;border-radius:9px;margin:0}
    .way .label,.way .text,.way .class{font-style:italic}
    mark{background:var(--mark);color:var(--ink);border-radius:2px}
    #none{position:absolute;inset:0;grid-area:1/2;display:grid;place-items:center;color:var(--soft);pointer-events:none;
     font:15px system-ui,"Segoe UI",Helvetica,Arial,sans-serif}
    """

  private static let details = """
    .details{overflow:auto;padding:16px 18px 28px;display:flex;flex-direction:column;gap:16px;overflow-wrap:anywhere;
     font-size:13px}
    .details h2{padding:0;margin-bottom:3px}
    .details .title{font-size:16px;font-weight:650;line-height:1.3;color:var(--c,var(--ink));unicode-bidi:isolate}
    .details .chain{color:var(--soft);margin-top:2px}
    .details code,.details pre{font:12.5px/1.5 ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace}
    .details code{user-select:all;-webkit-user-select:all;background:var(--well);border-radius:5px;padding:1px 5px;
     box-decoration-break:clone;-webkit-box-decoration-break:clone}
    .details pre{white-space:pre-wrap;overflow:auto;max-height:24em;background:var(--box);
     border:1px solid var(--line);border-radius:9px;padding:9px 11px;unicode-bidi:plaintext}
    .details pre.hex{white-space:pre;font-size:11.5px}
    .details ul{list-style:none;display:flex;flex-direction:column;gap:3px}
    .details .soft{color:var(--soft)}
    .picture{display:block;max-width:100%;max-height:45vh;object-fit:contain;border:1px solid var(--line);
     border-radius:9px;background:repeating-conic-gradient(var(--well) 0 25%,var(--box) 0 50%) 0 0/16px 16px}
    """

  private static let media = """
    @media (max-width:1080px){header{flex-wrap:wrap;padding:10px 14px;gap:8px}.names{flex:1 0 100%}.find{flex:1 1 0}
     main{grid-template-columns:180px minmax(0,1fr);grid-template-rows:minmax(0,1fr) minmax(0,38%)}
     .classes{grid-row:1/3}.details{border:solid var(--line);border-width:1px 0 0 1px}.tree{border-right:0}
    }
    @media (max-width:720px){header{padding:10px 12px}.tools button{padding:0 10px}
     #fold,#unfold{display:none}
     .remarks{margin:0 12px 10px}
     main{grid-template-columns:minmax(0,1fr);grid-template-rows:auto minmax(0,1fr) minmax(0,36%)}
     .classes{grid-row:auto;padding:7px 12px;overflow-x:auto}.classes h2{display:none}
     .classes>div{display:flex;gap:6px;width:max-content}.classes button{width:auto;border-color:var(--line);
     background:var(--box)}
     #none{grid-area:2/1}
     .tree{border-width:1px 0}.details{border:0;padding:12px 14px 20px}
     .row{padding-right:8px}.row>.class.short{flex:0 1 auto!important}.label{max-width:60%}
    }
    @media (prefers-contrast:more){:root:root:root{--soft:var(--ink);--line:var(--ink)}}
    @media (forced-colors:active){.row[aria-selected=true]{outline:2px solid Highlight;outline-offset:-2px}
     .chip,.dot{forced-color-adjust:none}
     [aria-expanded]>.twist::before{background:CanvasText;forced-color-adjust:none}}
    @media print{body{height:auto}.tools,.find,.classes{display:none}}
    """
}
