// The page: no script, everything from the table escaped.
const CAUSES =
  "outside the allowed hours, stopped, unpublished, in no workflow's Settings, or without a copy of the opt-outs";
// include progress.js
