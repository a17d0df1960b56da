import { nodeError } from "../shared/errors.ts";
import { nextArrival } from "../tasks/reserved-places.ts";

/** Of one message, from its arrival until its operation is answered. */
export type Place = {
  /** The wallet is known now: network and address. Other config nodes may name the same one. */
  isOf(wallet: string): void;
  /** Resolves once nothing before it holds it back: from then on it holds back those behind it. @throws QUEUE_TIMEOUT */
  turn(timeoutMs: number): Promise<void>;
  leave(): void;
};

type LineLimits = {
  /** So many messages of a wallet wait at most. */
  most: number;
  /** A message holds back those behind it so long at most. */
  holdMs: number;
};

/** The clock, for tests. */
export type Timers = Pick<typeof globalThis, "setTimeout" | "clearTimeout"> & {
  performance: Pick<Performance, "now">;
};

/** A place as its line has it. */
type Member = {
  /** In the order of arrival. */
  number: number;
  config: string;
  /** Undefined once it has left, or has held back the others too long. */
  line: Line | undefined;
  /** Set while it waits for its turn. */
  start: (() => void) | undefined;
  isSending: boolean;
  /** Set once it holds back those behind it. */
  holdsUntil: number | undefined;
};

type Line = { members: Member[]; timer: NodeJS.Timeout | undefined };

const LIMITS: LineLimits = { most: 1_000, holdMs: 30_000 };
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * The messages of each wallet in the order of their arrival. A place is taken by config node, since the address may have to
 * be looked up; the lines of config nodes that turn out to name one wallet become one.
 */
export class WalletLines {
  readonly #limits: LineLimits;
  readonly #timers: Timers;
  /** By config node, and by wallet where it is known. */
  readonly #lines = new Map<string, Line>();

  constructor(limits: LineLimits = LIMITS, timers: Timers = globalThis) {
    this.#limits = limits;
    this.#timers = timers;
  }

  /**
   * The place ends with the signal, too. One that arrived before a restart comes before the others, and is not refused: it
   * was let in before.
   * @throws QUEUE_FULL
   */
  join(config: string, signal: AbortSignal, number = nextArrival(), isKept = false): Place {
    const line = this.#lineOf(config);
    if (!isKept && line.members.length >= this.#limits.most) throw queueFull(this.#limits.most);
    const rest = { start: undefined, isSending: false, holdsUntil: undefined };
    const member: Member = { number, config, line, ...rest };
    line.members = [...line.members, member].sort(byArrival);
    const leave = (): void => {
      signal.removeEventListener("abort", leave);
      this.#leave(member);
    };
    signal.addEventListener("abort", leave);
    this.#advance(line);
    return {
      isOf: (wallet) => this.#merge(member, wallet),
      turn: (timeoutMs) => this.#turn(member, timeoutMs, signal),
      leave,
    };
  }

  #lineOf(key: string): Line {
    const line = this.#lines.get(key) ?? { members: [], timer: undefined };
    this.#lines.set(key, line);
    return line;
  }

  /** All messages of a config node go with it: its wallet may have changed with a deploy. */
  #merge({ config, line: from }: Member, wallet: string): void {
    const to = this.#lineOf(wallet);
    if (from === undefined || from === to) {
      this.#advance(to);
      return;
    }
    const moved = from.members.filter((member) => member.config === config);
    for (const member of moved) member.line = to;
    from.members = from.members.filter((member) => member.config !== config);
    to.members = [...to.members, ...moved].sort(byArrival);
    this.#lines.set(config, to);
    this.#advance(from);
    this.#advance(to);
  }

  async #turn(member: Member, timeoutMs: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { line } = member;
    if (line === undefined || member.isSending) return;
    await new Promise<void>((resolve, reject) => {
      const end = (settle: () => void): void => {
        this.#timers.clearTimeout(timer);
        signal.removeEventListener("abort", aborted);
        member.start = undefined;
        settle();
      };
      const aborted = (): void => end(() => reject(signal.reason));
      const late = (): void => {
        end(() => reject(queueTimeout()));
        this.#leave(member);
      };
      const timer = this.#timers.setTimeout(late, Math.min(timeoutMs, LONGEST_TIMER_MS));
      signal.addEventListener("abort", aborted);
      // Of a node that is closed, one leaves after the other.
      member.start = () => (signal.aborted ? aborted() : end(resolve));
      this.#advance(line);
    });
  }

  #leave(member: Member): void {
    const { line } = member;
    if (line === undefined) return;
    member.line = undefined;
    line.members = line.members.filter((one) => one !== member);
    this.#advance(line);
  }

  /** Starts the first one, if it is ready and none is being sent. After a merge, several may be. */
  #advance(line: Line): void {
    this.#timers.clearTimeout(line.timer);
    const now = this.#timers.performance.now();
    for (const member of line.members) {
      if (member.holdsUntil === undefined || member.holdsUntil > now) continue;
      member.line = undefined;
      member.start?.();
    }
    line.members = line.members.filter((member) => member.line === line);
    const [first] = line.members;
    if (first?.start && !line.members.some(({ isSending }) => isSending)) {
      first.isSending = true;
      first.start();
    }
    const holders = line.members.filter((member) => member.isSending || (member === first && !member.start));
    for (const holder of holders) holder.holdsUntil ??= now + this.#limits.holdMs;
    if (line.members.length === 0) this.#forget(line);
    else {
      const ends = Math.min(...holders.map(({ holdsUntil = now }) => holdsUntil));
      line.timer = this.#timers.setTimeout(() => this.#advance(line), ends - now);
      line.timer.unref();
    }
  }

  #forget(empty: Line): void {
    for (const [key, line] of this.#lines) if (line === empty) this.#lines.delete(key);
  }
}

function byArrival(one: Member, other: Member): number {
  return one.number - other.number;
}

function queueTimeout(): Error {
  const message =
    "Earlier messages of this wallet were not answered within the timeout, so this one was not sent. Nothing was submitted. Send it again when the service answers.";
  return nodeError("QUEUE_TIMEOUT", message);
}

function queueFull(most: number): Error {
  const message = `${most} messages of this wallet wait to be sent, so this one was refused. Nothing was submitted. Send it again later, or send fewer at once.`;
  return nodeError("QUEUE_FULL", message);
}
