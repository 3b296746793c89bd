// The parameters of templates.

/** Ways to mark a parameter, the most explicit first. The node finds the first four. */
const MARKS = [
  ...['${name}', '{{name}}', '{name}', '#name#'],
  ...['{$name}', '%name%', '@name@', '$name$', '[name]', '<name>'],
];

function hasMark(looks, { content }) {
  const [start, end] = looks.split('name').map((mark) => mark.replace(/[[\]{}$]/g, '\\$&'));
  return new RegExp(`${start}[\\p{L}_][\\p{L}\\p{N}_]{0,39}${end}`, 'u').test(plain(content));
}

function templateParameters(all) {
  const about = 'Template parameters';
  const list = LISTS.find(({ name }) => name === 'Templates');
  const templates = recordsOf(pagesOf(list, all));
  if (templates.length === 0) return [{ about, found: 'there are none', verdict: UNKNOWN }];
  const wrong = templates.filter((template) => !parametersOf(template).agrees);
  const agreeing = templates.length - wrong.length;
  const looks = tally(templates.flatMap((each) => MARKS.find((mark) => hasMark(mark, each)) ?? []));
  const found = [
    ...(looks ? [`marked as ${looks}`] : []),
    `their number fits in ${agreeing} of ${many(templates.length, 'template')}`,
  ].join('; ');
  if (wrong.length === 0) return [{ about, found, verdict: WORKS }];
  const setting = {
    setting: 'Specify Parameters: As JSON',
    where: 'Message: Send Template SMS',
    why: `The node does not find the parameters of ${many(wrong.length, 'template')}. The form says so when you choose one of them.`,
  };
  return [{ about, found, verdict: TO_SET, settings: [setting] }];
}

function parametersOf({ content, param_count: stated }) {
  const count = /^\d+$/.test(plain(stated)) ? Number(stated) : undefined;
  return findPlaceholders(typeof content === 'string' ? content : '', count);
}
