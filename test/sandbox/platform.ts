import { answerViolations } from './contract';
import type { Fault } from './faults';
import type { Answer } from './http';
import { shaped } from './lists';
import type { GatewayOptions } from './options';
import type { RecordedRequest } from './recordedRequest';
import type { Paged } from './records';
import type { Route, RouteContext } from './routes';
import type { OutgoingMessage, SandboxState } from './state';

/** Executes checked requests and answers in the form that the gateway's options ask for. */
export class Platform {
  /** @param violations receives a sentence for each answer that violates the contract */
  constructor(
    private readonly state: SandboxState,
    private readonly options: GatewayOptions,
    private readonly violations: string[],
  ) {}

  /**
   * Executes a request, and records in it which messages it accepted. The faults `notConsuming` and
   * `acceptedFewer` take effect here.
   *
   * @throws Refusal if the request is refused with a business code
   */
  process(
    route: Route,
    { body, accepted }: Pick<RecordedRequest, 'body' | 'accepted'>,
    fault?: Fault,
  ): Answer {
    const context: RouteContext = {
      state: this.state,
      consume: this.options.consume !== false && fault?.kind !== 'notConsuming',
      maxCount: this.options.maxCount ?? 1000,
      maxPageSize: this.options.maxPageSize ?? 100,
      accept: (messages, userData) => {
        const taken = fault ? acceptedOf(messages, fault) : messages;
        const receipt = this.state.send(taken, userData);
        accepted.push(...taken);
        return receipt;
      },
    };
    const result =
      'page' in route ? route.page(body as never, context) : route.answer(body as never, context);
    const shown = 'page' in route ? shaped(route.shape, result as Paged) : result;
    this.check(route, shown);
    const { listShape = 'specification' } = this.options;
    const reshaped =
      'page' in route && listShape !== 'specification' ? shaped(listShape, result as Paged) : shown;
    return { status: 200, body: reshaped };
  }

  /** Checks the answer in its specified shape, because options change it afterwards. */
  private check(route: Route, answer: unknown): void {
    if (this.options.validate === false) return;
    const problems = answerViolations(route.path, answer, this.options);
    this.violations.push(...problems.map((problem) => `answer ${route.path} ${problem}`));
  }
}

/** Returns the messages that the service accepts under a fault. */
function acceptedOf(
  messages: readonly OutgoingMessage[],
  { kind, acceptedCount = -1 }: Fault,
): readonly OutgoingMessage[] {
  // The end of a slice: -1 leaves out the last message.
  return kind === 'acceptedFewer' ? messages.slice(0, acceptedCount) : messages;
}
