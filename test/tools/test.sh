#!/bin/sh
# Lint and types beside the tests: neither alone keeps all cores busy. The line of the tests comes last,
# unless the others have found something.
log=$(mktemp)
npm run --silent check >"$log" 2>&1 &
check=$!
NODES=built jest
status=$?
if ! wait $check; then
  cat "$log"
  status=1
fi
rm -f "$log"
exit $status
