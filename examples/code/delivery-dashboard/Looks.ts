import type { Item, N8n } from '../n8n';
import type { Drawn } from './Charts';

/** What is shown, with how it looks. */
export type Styled = Drawn & { css: string };

// In light and dark. Change the colours in the first two lines.
const css = `
:root{color-scheme:light dark;--bg:#f3f5f8;--panel:#fff;--ink:#15202b;--soft:#526171;--line:#d8dfe6;--grid:#e6ebf0;--link:#0a5fb4;--sent:#b9cbe0;--reported:#2f6db3;--good:#0b7a6b;--bad:#c2410c;--warn:#fff4d6;--warnline:#c98a00}
@media (prefers-color-scheme:dark){:root{--bg:#10161c;--panel:#19222b;--ink:#e8eef4;--soft:#a3b1bf;--line:#33414e;--grid:#27333e;--link:#7db8f5;--sent:#3f566e;--reported:#7db8f5;--good:#3cc0ae;--bad:#ff8a5c;--warn:#3a2f12;--warnline:#d6a53a}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:1240px;padding:20px;background:var(--bg);color:var(--ink);font:15px/1.45 system-ui,"Segoe UI",Roboto,"Noto Sans CJK SC","PingFang SC","Microsoft YaHei",sans-serif}
header{display:flex;flex-wrap:wrap;gap:2px 16px;align-items:baseline;justify-content:space-between}
h1{font-size:22px;margin:0}h2{font-size:15px;margin:0 0 10px}p{margin:0}
header p,small,.more,.key,dt{color:var(--soft);font-size:13px}
a{color:var(--link)}a:focus-visible,input:focus-visible,button:focus-visible,summary:focus-visible{outline:2px solid var(--link);outline-offset:2px}
.bar{display:flex;flex-wrap:wrap;gap:10px 16px;align-items:center;margin:14px 0}
nav{display:flex;border:1px solid var(--line);border-radius:8px;overflow:hidden;background:var(--panel)}
nav a{padding:7px 14px;text-decoration:none;border-left:1px solid var(--line)}nav a:first-child{border:0}
nav a[aria-current]{background:var(--link);color:var(--panel);font-weight:600}
form{display:flex;gap:8px;align-items:center;flex:1;min-width:230px}
input,button,.file{font:inherit;border:1px solid var(--line);border-radius:8px;background:var(--panel);color:var(--ink);padding:7px 12px}
input{width:100%;max-width:220px;min-width:0}button{cursor:pointer}.file{text-decoration:none;color:var(--link)}
.notice{background:var(--warn);border:1px solid var(--warnline);border-radius:8px;padding:10px 14px;margin-bottom:14px}
.tiles{display:grid;grid-template-columns:repeat(6,1fr);gap:12px;margin:0 0 12px}
.tile,section{background:var(--panel);border:1px solid var(--line);border-radius:10px;padding:14px 16px;min-width:0}
dd{margin:0}.value{font-size:27px;line-height:1.25;font-weight:650;font-variant-numeric:tabular-nums}
.good{color:var(--good)}.bad{color:var(--bad)}
.grid{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:12px;align-items:start}.grid>div{min-width:0}.wide{grid-column:1/-1}
.key{display:flex;gap:16px;margin-bottom:4px}.key i{display:inline-block;width:11px;height:11px;border-radius:3px;margin-right:6px}
i.sent{background:var(--sent)}i.reported{background:var(--reported)}i.good{background:var(--good)}i.bad{background:var(--bad)}
.chart{display:grid;grid-template-columns:34px minmax(0,1fr);gap:8px}.chart svg{display:block;overflow:visible;width:100%}
svg text{fill:var(--soft);font-size:11.5px;text-anchor:middle;font-variant-numeric:tabular-nums}.axis text{text-anchor:end}
.grid line{stroke:var(--grid);shape-rendering:crispEdges}.grid line:first-child{stroke:var(--soft)}
rect.sent{fill:var(--sent)}rect.reported{fill:var(--reported)}rect.good{fill:var(--good)}rect.bad{fill:var(--bad)}rect.area{fill:transparent}
g:hover>rect.area{fill:var(--grid)}svg text.bad{fill:var(--bad);font-weight:600}.never{display:none}
.scroll{overflow-x:auto}table{border-collapse:collapse;width:100%;font-size:14px}
th{font-weight:600;color:var(--soft);font-size:13px}th,td{text-align:left;padding:6px 12px 6px 0;border-bottom:1px solid var(--grid);vertical-align:top}
tr:last-child td{border:0}th:last-child,td:last-child{padding-right:0}td small{display:block}.grid>div>section+section{margin-top:12px}.id,.id bdi{white-space:nowrap;overflow-wrap:normal}.number{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
td bdi,li bdi{overflow-wrap:anywhere}.rate{display:inline-block;width:44px;height:7px;border-radius:4px;background:var(--grid);margin-right:8px;overflow:hidden;vertical-align:middle}.rate i{display:block;height:100%;background:var(--good)}
ul{list-style:none;margin:0;padding:0}li{padding:7px 0}ul li+li{border-top:1px solid var(--grid)}ol{margin:10px 0 0;padding-left:22px}
summary{cursor:pointer;color:var(--link);margin-top:8px}details table{margin-top:8px}
@media (max-width:900px){.tiles{grid-template-columns:repeat(3,1fr)}.grid{grid-template-columns:minmax(0,1fr)}}
@media (max-width:640px){body{padding:14px 12px}.tiles{grid-template-columns:1fr 1fr;gap:10px}.tile,section{padding:12px}form{order:3;flex-basis:100%}input{max-width:none}.wide>text,.labels .wide{display:none}
.count{transform-box:fill-box;transform-origin:center;transform:translateY(-6px) rotate(-90deg)}nav a{padding:9px 13px}.bar{gap:10px}.file{margin-left:auto}table{font-size:13px}th{font-size:12px}th,td{padding-right:8px}.rate{display:none}th.number{white-space:normal}td{padding-right:6px}input{font-size:16px}}
`;

/** The looks of the page. */
export default function looks({ $input }: N8n): Item<Styled>[] {
  return [{ json: { ...$input.first<Drawn>().json, css } }];
}
