/**
 * Values of a template's `audit_status`, and what is said of them: in preview and check, and at the start of
 * its entry in a list. Nothing where it has probably passed, or nothing is known.
 */
export const REVIEWS: [value: unknown, words: string, mark: string][] = [
  [3, 'probably rejected (status 3)', 'rejected?'],
  ['3', 'probably rejected (status 3)', 'rejected?'],
  [' 1 ', 'probably in review (status 1)', 'in review?'],
  [0, 'probably in review (status 0)', 'in review?'],
  [7, 'unknown review status 7', 'review status 7?'],
  [-1, 'unknown review status -1', 'review status -1?'],
  ['REJECTED', 'unknown review status REJECTED', 'review status REJECTED?'],
  [true, 'unknown review status true', 'review status true?'],
  [{ code: 3 }, 'unknown review status {"code":3}', 'review status {"code":3}?'],
  [2, '', ''],
  ['2', '', ''],
  ['', '', ''],
  [null, '', ''],
  [undefined, '', ''],
];
