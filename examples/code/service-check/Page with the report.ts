import type { Item, N8n } from '../n8n';
import type { Report } from './Report';

/**
 * The report as a web page: the inner part of it, for n8n puts its own around it. The report quotes nobody,
 * so there is nothing to escape.
 */
export default function makePage({ $input }: N8n): Item[] {
  const { rows, actions, texts } = $input.first<Report>().json;
  const lines = rows.map(
    ({ about, verdict, found }) =>
      `<tr><th>${about}</th><td class="${verdict}">${verdict}</td><td>${found}</td></tr>`,
  );
  const items = actions.map(({ what, where }) => `<li><b>${where}</b><br>${what}</li>`);
  const list = items.length > 0 ? `<ol>${items.join('')}</ol>` : '<p>Nothing to set.</p>';
  const page = [
    `<style>${STYLE}</style><main><h1>Check of the SMS service</h1>`,
    `<h2>What to set</h2>${list}<h2>What was seen</h2><table>${lines.join('')}</table>`,
    `<h2>What else to know</h2>${texts.map((text) => `<p>${text}</p>`).join('')}</main>`,
  ].join('');
  return [{ json: { page } }];
}

const STYLE = `
:root { color-scheme: light dark; }
body { background: Canvas; color: CanvasText; font: 15px/1.5 'Open Sans', system-ui, sans-serif; }
main { box-sizing: border-box; width: 100%; max-width: 960px; margin: 0 auto; padding: 24px 16px; }
h1 { font-size: 22px; } h2 { font-size: 16px; margin: 24px 0 8px; }
p { margin: 6px 0; } ol { padding-left: 24px; } li { margin: 8px 0; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: 6px 12px 6px 0; border-top: 1px solid #8884; overflow-wrap: anywhere; }
.works { color: light-dark(#17692b, #7d9); } .fails { color: light-dark(#b3261e, #f98); }
`;
