// The report in n8n: of the answers that HTTP Request nodes gave, and as a web page.

function reportInN8n(requests, answers, executionId) {
  const result = report(
    requests.map(({ json }, index) => ({ ...json, ...answerInN8n(answers[index]?.json ?? {}) })),
    `in execution ${executionId} of this workflow, in the output of “Ask with key and signature”`,
  );
  return { ...result, page: pageOf(result) };
}

function answerInN8n({ statusCode, headers, data, error }) {
  if (statusCode === undefined) return { failure: failureOf(wordsOf(error)) };
  return { status: statusCode, location: headers?.location, text: data };
}

/** The code and the messages of an error, as n8n's node gives it out. */
function wordsOf(error) {
  const { code, message, messages, cause } = isObject(error) ? error : { message: error };
  return [code, message, messages, cause?.code, cause?.message].flat().join(' ');
}

/** A report as a web page: the inner part of it, for n8n puts its own around it. */
function pageOf({ summary, rows, settings, texts }) {
  const items = settings.map(
    ({ setting, where, why }) =>
      `<li><b>${escaped(setting)}</b> <i>${escaped(where)}</i><br>${escaped(why)}</li>`,
  );
  const cells = rows.map(
    ({ about, found, verdict }) =>
      `<tr><th>${escaped(about)}</th><td><b class="${verdict.split(' ')[0]}">${verdict}</b></td><td>${escaped(found)}</td></tr>`,
  );
  return [
    `<style>${STYLE}</style><main><h1>Check of the SMS service</h1><p class="summary">${summary}</p>`,
    items.length > 0 ? `<h2>What to set</h2><ol>${items.join('')}</ol>` : '',
    `<h2>What was seen</h2><table>${cells.join('')}</table>`,
    `<h2>What else to know</h2>${texts.map((text) => `<p>${escaped(text)}</p>`).join('')}</main>`,
  ].join('');
}

function escaped(text) {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}

const STYLE = `
:root { color-scheme: light dark; }
body { background: Canvas; color: CanvasText; font: 15px/1.5 'Open Sans', system-ui, sans-serif; }
main { width: 100%; max-width: 960px; margin: 0 auto; padding: 24px 16px; }
h1 { font-size: 22px; } h2 { font-size: 16px; margin: 24px 0 8px; }
.summary { font-size: 17px; } p { margin: 6px 0; } ol { padding-left: 24px; } li { margin: 8px 0; }
i { opacity: 0.75; } li i { margin-left: 8px; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: 6px 12px 6px 0; border-top: 1px solid #8884; overflow-wrap: anywhere; }
th { font-weight: 600; width: 24%; } td:nth-child(2) { width: 18%; }
td b { border-radius: 4px; padding: 1px 8px; white-space: nowrap; font-weight: 600; background: #8883; }
.works { background: #2a93; } .to { background: #e703; } .ask { background: #d433; }
@media (max-width: 640px) {
  tr, td { display: block; border: 0; padding: 2px 0; }
  tr { border-top: 1px solid #8884; padding: 8px 0; }
  th, td:nth-child(2) { display: inline-block; width: auto; border: 0; padding: 0 8px 0 0; }
}
`;
