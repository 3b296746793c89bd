export const STYLE = `
.threads a{display:grid;grid-template-columns:auto minmax(0,1fr) auto;gap:2px 12px;align-items:baseline;padding:4px 0;color:var(--ink);text-decoration:none}.threads a:hover .last{text-decoration:underline}
.threads time{grid-column:3;color:var(--soft);font-size:13px}.threads .last{grid-row:2;grid-column:1/-1;overflow:hidden;text-overflow:ellipsis;white-space:nowrap;color:var(--soft)}
.chat,.reply,#end{max-width:760px}.chat ol{list-style:none;margin:0;padding:0;display:flex;flex-direction:column;gap:10px}
.chat li{max-width:min(86%,540px);padding:8px 12px;border:1px solid var(--line);border-radius:14px;background:var(--grid);align-self:flex-start}.chat .out{align-self:flex-end;background:var(--greenbg)}.chat .line{align-self:center;background:none;text-align:center;border:0}
.chat li p{white-space:pre-wrap;overflow-wrap:anywhere}.chat li small,.chat li .mark{display:block;font-size:13px}
#end{margin-top:12px}.reply p+p,.reply form+p{margin-top:10px}.reply label{display:block;margin:0 0 10px}.reply label select,.reply label input{display:block;width:100%;margin-top:2px}
`;
