import { langOf, sayIn, type Lang } from '../../../builder/code/lang';
import type { Light, Sentence, Status } from './status';
import { LIGHTS_ZH } from './light-texts';
import { withoutNumbers } from './voice';
import type { Item, N8n } from '../../../builder/code/n8n';

/** A light in the reader's language. */
export interface SaidLight {
  level: Light['level'];
  name: string;
  text: string;
  reason: string;
  links: { text: string; href: string }[];
}

/** The status in the reader's language. */
export interface SaidStatus extends Omit<Status, 'lights' | 'subscribers'> {
  lang: Lang;
  lights: SaidLight[];
  subscribers: SaidLight[];
}

/** Says the lights in the language of the reader. */
export default function inWords({ $, $input }: N8n): Item<SaidStatus>[] {
  const status = $input.first<Status>().json;
  const lang = langOf($('Status page is opened').first().json);
  const say = sayIn(lang, LIGHTS_ZH);
  const words = ([text, values = {}]: Sentence): string => {
    const said = Object.entries(values).map(([name, value]) => [
      name,
      Array.isArray(value) ? words(value) : value,
    ]);
    return say(text, Object.fromEntries(said) as Record<string, string | number>);
  };
  const linksTo = (place: Light['opens']): SaidLight['links'] => {
    if (place === undefined) return [];
    if (place === 'tables') return [{ text: say('Data tables'), href: '../home/datatables' }];
    const href = `../workflow/${encodeURIComponent(String(place.workflow))}`;
    return [
      { text: say('Workflow'), href },
      { text: say('Executions'), href: `${href}/executions` },
    ];
  };
  const inLang = ({ level, name, workflow, says, reason, opens }: Light): SaidLight => ({
    level,
    name: workflow ?? say(name),
    text: says.map(words).join(lang === 'zh' ? '' : ' '),
    reason: withoutNumbers(reason),
    links: linksTo(opens),
  });
  const lights = status.lights.map(inLang);
  return [{ json: { ...status, lang, lights, subscribers: status.subscribers.map(inLang) } }];
}
