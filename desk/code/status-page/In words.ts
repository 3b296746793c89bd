import { langOf, sayIn, type Lang } from '../lang';
import type { Light, Link, Sentence, Status } from './status';
import { LIGHTS_ZH } from './texts';
import type { Item, N8n } from '../n8n';

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
  const link = ({ text, href }: Link) => ({ text: say(text), href });
  const inLang = ({ level, name, workflow, says, reason = '', links }: Light): SaidLight => ({
    level,
    name: workflow ?? say(name),
    text: says.map(words).join(lang === 'zh' ? '' : ' '),
    reason,
    links: links.map(link),
  });
  const lights = status.lights.map(inLang);
  return [{ json: { ...status, lang, lights, subscribers: status.subscribers.map(inLang) } }];
}
