// Pulls, where the user asked for them.

function pullOf(pull, all) {
  const about = pull.name;
  const event = EVENTS[pull.event];
  const answer = all.find(({ path }) => path === pull.path);
  if (answer === undefined) return [];
  const records = recordsIn(answer.said, event);
  if (!answer.isTaken) {
    const found = describe(answer);
    if (answer.isEmpty) return [{ about, found: 'nothing was waiting', verdict: WORKS }];
    if (!answer.isRefusedContent || records?.length > 0) return [{ about, found, verdict: ASK }];
    return [{ about, found, verdict: TO_SET, settings: [emptyCodes(answer)] }];
  }
  if (records === undefined) return [{ about, found: 'no records are recognised', verdict: ASK }];
  if (records.length === 0) return [{ about, found: 'nothing was waiting', verdict: WORKS }];
  const objects = records.filter(isObject);
  const hasTimes = objects.every((record) => 'time_iso' in normaliseRecord(event, record));
  const times = hasTimes ? '' : '; no time_iso, because time has no time zone or is none';
  const found = describeRecords(objects, Object.keys(event.samples[0])) + times;
  return [{ about, found, verdict: WORKS }];
}

function emptyCodes(answer) {
  return {
    setting: 'Empty Codes',
    where: 'Credential, under Custom Result Codes',
    why: `The service refuses a pull (${describe(answer)}). If by the manual that code means that nothing is waiting, enter it. Otherwise ask your SMS provider.`,
  };
}
