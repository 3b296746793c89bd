const HOUR = 60 * 60 * 1000;
const limits = $('Limits').first().json;
const request = $('Read the request').first().json;
const { id } = $('Count this request').first().json;
const rows = $input.all().map(({ json }) => json);
const hasPlace = rows.some((row) => row.id === id && row.state === 'taken');

// First, the request counts all that were stored before it: of several at the same moment, the one
// with the lowest id goes on. A database may show rows in another order than their ids say. So it
// counts again once it has its place, and then all that have one: the last of them sees the others.
const others = rows.filter((row) =>
  hasPlace
    ? row.id !== id && row.state !== 'asked'
    : row.id < id || (row.id > id && row.state !== 'asked'),
);
const countOf = (milliseconds, matches = () => true) =>
  others.filter((row) => row.at > request.at - milliseconds && matches(row)).length;
const samePhone = (row) => row.phone_number === request.phone_number;
const sameCaller = (row) => row.asked_by === request.asked_by;
// The SMS provider has refused the send of such a row. The user may try again at once.
const isOnItsWay = (row) => samePhone(row) && row.state !== 'refused';

const isOver =
  countOf(HOUR, samePhone) >= limits.phone_per_hour ||
  countOf(24 * HOUR, samePhone) >= limits.phone_per_day ||
  countOf(HOUR, sameCaller) >= limits.caller_per_hour ||
  countOf(HOUR) >= limits.all_per_hour;
let verdict = hasPlace ? 'send' : 'take';
if (countOf(limits.pause_seconds * 1000, isOnItsWay) > 0) verdict = 'pause';
else if (isOver) verdict = 'limit';
return [{ json: { verdict } }];
