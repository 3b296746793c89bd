// Paths that the specification does not show: which of them exist.

function inferredPaths(all) {
  const about = 'Paths known by name only';
  const told = INFERRED.map((each) => ({ ...each, exists: exists(each.path, all) }));
  const [existing, missing, open] = [true, false, undefined].map((answer) =>
    told.filter((each) => each.exists === answer),
  );
  if (open.length === told.length && !hasAccess(all)) return [];
  const found = [
    `${existing.length} of ${told.length} exist`,
    ...(missing.length > 0 ? [`${missing.length} do not`] : []),
    ...(open.length > 0 ? [`${open.length} cannot be told`] : []),
  ].join(', ');
  const texts = open.length > 0 ? [COMPARE_PATHS] : [];
  if (missing.length > 0) {
    return [{ about, found, verdict: TO_SET, settings: [endpointPath(missing)], texts }];
  }
  return [{ about, found, verdict: open.length > 0 ? UNKNOWN : WORKS, texts }];
}

/** True or false; undefined where it cannot be told. */
function exists(path, all) {
  const signed = all.filter((each) => each.signed && each.path === path);
  if (signed.some(({ outcome }) => outcome === 'success')) return true;
  if (signed.length > 0 && signed.every(({ outcome }) => outcome === 'unknown path')) {
    return hasAccess(all) ? false : undefined;
  }
  return isLikeExisting(path, all);
}

/**
 * Whether a path answers a request without key as one does that surely exists, or as one that surely does
 * not.
 */
function isLikeExisting(path, all) {
  const [here, there, nowhere] = [path, BALANCE, NO_SUCH_PATH].map((each) =>
    likeness(all.find((answer) => !answer.signed && answer.path === each)),
  );
  if ([here, there, nowhere].includes(undefined) || there === nowhere) return undefined;
  if (here === there) return true;
  return here === nowhere ? false : undefined;
}

/** What two answers have in common that mean the same. Undefined where an answer says nothing. */
function likeness(answer) {
  if (isPassing(answer)) return undefined;
  return JSON.stringify([describe(answer), Object.keys(answer.said ?? {}).sort()]);
}

const COMPARE_PATHS =
  'Compare the paths of the operations that are marked as inferred with the manual. Where one differs, set Endpoint Path under Options.';

function endpointPath(missing) {
  return {
    setting: 'Endpoint Path',
    where: `Options of ${missing.map(({ operations }) => operations).join('; ')}`,
    why: "These paths do not exist here. Enter those of your provider's manual, and with Extra Fields (JSON) the request fields that differ.",
  };
}
