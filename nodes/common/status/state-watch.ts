import type { SharedState } from "../../../src/index.ts";
import { inPlace } from "../fleet/fleet.ts";
import { toCodedError } from "../shared/errors.ts";
import type { Problem } from "../telemetry/types.ts";

/** What no call has told for so long is asked for: nodes that seldom use the state would notice a problem too late. */
const ASK_MS = 15_000;
/** Nothing is kept in it. */
const SCOPE = "watch";

/** See `SharedStateReport`. */
type Watched = { problem?: Problem; problemSince?: number };

/** Notes whether a shared state does what it is asked for, from now on until it is closed. */
export class StateWatch {
  /** To be used in its place. */
  readonly shared: SharedState;
  #problem: Problem | undefined;
  #since = 0;
  #hasAnswered = false;
  #toldAt = Number.NEGATIVE_INFINITY;

  constructor(shared: SharedState, isOfEnvironment: boolean) {
    const ask = (): void => void this.shared.recordKeys(SCOPE, 1).catch(() => {});
    const timer = setInterval(() => {
      // The clock may have been set back.
      if (Math.abs(Date.now() - this.#toldAt) >= ASK_MS) ask();
    }, ASK_MS);
    timer.unref();
    const told =
      <Args extends unknown[], T>(call: (...args: Args) => Promise<T>) =>
      (...args: Args): Promise<T> => {
        const answer = call.apply(shared, args).catch((thrown: unknown) => {
          throw inPlace(toCodedError(thrown), isOfEnvironment);
        });
        answer.then(
          () => this.#note(undefined),
          (thrown: Problem) => this.#note(thrown),
        );
        return answer;
      };
    this.shared = {
      label: shared.label,
      get isEvictionUnknown() {
        return shared.isEvictionUnknown === true;
      },
      take: told(shared.take),
      save: told(shared.save),
      release: told(shared.release),
      once: told(shared.once),
      readRecord: told(shared.readRecord),
      writeRecord: told(shared.writeRecord),
      recordKeys: told(shared.recordKeys),
      members: told(shared.members),
      leave: told(shared.leave),
      close: () => {
        clearInterval(timer);
        return shared.close();
      },
    };
    ask();
  }

  report(): Watched {
    return this.#problem === undefined ? {} : { problem: this.#problem, problemSince: this.#since };
  }

  #note(error: Problem | undefined): void {
    this.#toldAt = Date.now();
    // Another error is an answer, such as that a record is damaged.
    if (!error?.code.startsWith("SHARED_STATE_")) {
      this.#hasAnswered = true;
      this.#problem = undefined;
      return;
    }
    const { code, message } = error;
    if (code === "SHARED_STATE_CLOSED") return;
    if (this.#problem?.code !== code) this.#since = this.#hasAnswered ? this.#toldAt : 0;
    this.#problem = { code, message };
  }
}
