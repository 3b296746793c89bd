import { settings } from '../kit/search/settings';
import { searchTexts } from '../kit/search/texts';

const SETTINGS = settings(60);

test(`a text arrives as its author meant it, or not at all, in ${SETTINGS.numRuns} random runs`, () =>
  searchTexts(SETTINGS));
