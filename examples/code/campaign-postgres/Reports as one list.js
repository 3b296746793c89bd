// One list for one statement. "user_data" has the portion that the message was sent in.
// include clean.js

const reports = $input
  .all()
  .map(({ json }) => json)
  .filter(({ event, phone_number }) => event === 'deliveryReport' && phone_number)
  .map((report) => ({
    phone_number: clean(report.phone_number),
    portion: clean(report.user_data),
    batch_id: clean(report.batch_id),
    is_delivered: report.status === 'DELIVRD',
    reason:
      report.status === 'DELIVRD'
        ? ''
        : clean(`${report.status ?? ''} ${report.status_desc ?? ''}`)
            .trim()
            .slice(0, 300),
  }));
return [{ json: { reports: JSON.stringify(reports) } }];
