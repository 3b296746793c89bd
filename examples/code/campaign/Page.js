// The page: no script, everything from the table escaped.
const CAUSES = 'outside the allowed hours, paused, stopped or unpublished';
// include progress.js
