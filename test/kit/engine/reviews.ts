/**
 * Values of a template's `audit_status`, and what list, preview and check say of them: nothing where it is
 * empty, because the template has probably passed or nothing is known.
 */
export const REVIEWS: [value: unknown, words: string][] = [
  [3, 'probably refused (status 3)'],
  ['3', 'probably refused (status 3)'],
  [' 1 ', 'probably in review (status 1)'],
  [0, 'probably in review (status 0)'],
  [7, 'unknown review status 7'],
  [-1, 'unknown review status -1'],
  ['REJECTED', 'unknown review status REJECTED'],
  [true, 'unknown review status true'],
  [{ code: 3 }, 'unknown review status {"code":3}'],
  [2, ''],
  ['2', ''],
  ['', ''],
  [null, ''],
  [undefined, ''],
];
