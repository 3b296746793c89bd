/** How the chart and tables of the dashboard look. */
export const STYLE = `
.grid{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:12px;align-items:start}.grid>div{min-width:0}.grid>section+section{margin:0}.wide{grid-column:1/-1}
@media (max-width:900px){.grid{grid-template-columns:minmax(0,1fr)}}
#numbers td:first-child{white-space:nowrap}
.search{flex:1;display:flex;gap:8px;min-width:260px}.search input{flex:1;max-width:300px;min-width:0}.chip b{margin-left:6px}.tiles.ten{grid-template-columns:repeat(5,minmax(0,1fr))}.tile a{color:inherit}
.key{color:var(--soft);font-size:13px;display:flex;flex-wrap:wrap;gap:2px 16px;margin-bottom:4px}.key i{display:inline-block;width:12px;height:12px;margin-right:6px;vertical-align:-1px}i.delivered{background:var(--good)}i.missing{background:var(--volume)}i.failed{background:var(--bad)}i.unsent{border:2px solid var(--bad)}
.chart{display:grid;grid-template-columns:44px minmax(0,1fr);gap:8px}.chart svg{display:block;overflow:visible;width:100%}.chart text{fill:var(--soft);font-size:11.5px;text-anchor:middle;font-variant-numeric:tabular-nums}.chart .axis text{text-anchor:end}.never{display:none}
.lines line{stroke:var(--grid);shape-rendering:crispEdges}.lines line:first-child{stroke:var(--edge)}rect.delivered{fill:var(--good)}rect.missing{fill:var(--volume)}rect.failed{fill:var(--bad)}rect.unsent{fill:var(--panel);stroke:var(--bad);stroke-width:1.5}rect.area{fill:transparent}g:hover>rect.area{fill:var(--grid)}
@media (max-width:1000px){.tiles.ten{grid-template-columns:repeat(3,minmax(0,1fr))}}@media (max-width:640px){.tiles.ten{grid-template-columns:1fr 1fr}.chart .wide{display:none}.chart .count{transform-box:fill-box;transform-origin:center;transform:translateY(-6px) rotate(-90deg)}.search{order:3;flex-basis:100%}}
`;
