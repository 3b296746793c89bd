import { safe } from '../html';
import { sayIn } from '../lang';
import { quote } from '../look';
import type { Fields, N8n } from '../n8n';
import { templateNames } from './rows';
import type { Voice } from './strip';
import type { Asked } from './What was asked';
import { lengthIn, ZH } from './words';

/** How a page speaks, in the language and time zone that it is asked for. */
export function voiceOf(asked: Asked, templates: Fields[], DateTime: N8n['DateTime']): Voice {
  const say = sayIn(asked.lang, ZH);
  const { nameOf, idOf } = templateNames(templates);
  const local = (millis: number) => DateTime.fromMillis(millis, { zone: asked.zone });
  const thisYear = DateTime.fromISO(asked.now, { zone: asked.zone }).year;
  return {
    ...{ asked, say, nameOf, idOf, lengthOf: lengthIn(say) },
    clock: (millis) =>
      local(millis).toFormat(local(millis).year === thisYear ? 'MM-dd HH:mm' : 'yyyy-MM-dd HH:mm'),
    inAddress: (millis) => local(millis).toFormat("yyyy-MM-dd'T'HH:mm"),
    templateOf: (id) =>
      nameOf(id) ? safe`${quote(nameOf(id))} <small class="id">${id}</small>` : quote(id),
  };
}
