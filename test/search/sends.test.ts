import { play } from './sends/history';
import { scenario } from './sends/scenario';
import { searchSends } from './sends/world';

searchSends('sends: nothing is sent twice, and every outcome is true', scenario, play);
