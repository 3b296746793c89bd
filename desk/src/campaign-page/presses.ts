/** Which buttons were pressed, with whose login. */
import type { DateTime } from 'luxon';

import type { Markup } from '../../../builder/code/html';
import type { Say } from '../../../builder/code/lang';
import { panel, quote, table } from '../../../builder/code/look';
import type { Campaign } from '../common/messages/campaigns';
import { clock } from '../common/text/clock';

export const PRESSES_ZH = {
  'Buttons pressed': '操作记录',
  Time: '时间',
  Button: '按钮',
  Login: '登录名',
} as const;

/** The buttons by what their forms ask for. */
const BUTTONS = {
  start: 'Start',
  pause: 'Pause',
  resume: 'Resume',
  stop: 'Stop',
  test: 'Send one to me',
  again: 'Send again what was not sent',
  resend: 'Send the unknown again',
} as const;

type Action = keyof typeof BUTTONS;

/** The latest presses, the last one first. A login may have several people. */
export function pressesPanel(
  { presses }: Campaign,
  say: Say<keyof typeof PRESSES_ZH | (typeof BUTTONS)[Action]>,
  now: DateTime,
): Markup[] {
  const lines = (presses ?? '')
    .split('\n')
    .filter(Boolean)
    .flatMap((line) => {
      const [at, action = '', login] = JSON.parse(line) as [number, string, string];
      const button = Object.hasOwn(BUTTONS, action) && BUTTONS[action as Action];
      return button
        ? [[clock(now.plus(at - Date.now()), now), say(button), quote(login || '–')]]
        : [];
    });
  if (lines.length === 0) return [];
  const name = say('Buttons pressed');
  return [panel(name, table(name, [say('Time'), say('Button'), say('Login')], lines))];
}
