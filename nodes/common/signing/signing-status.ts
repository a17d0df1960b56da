import type { Node, NodeAPI } from "node-red";
import type { SigningState } from "../../../src/index.ts";
import { showStatus, statusText } from "../status/status.ts";

type Signing = {
  /** The key service, as people call it. */
  custodian: string;
  /** Of the operation, in Unix seconds; 0 for none. */
  deadline: number;
  /** Of the signer. */
  timeoutMs: number | undefined;
  /** Whether the node shows another message by now. */
  isPast?: () => boolean;
};

type SigningStatus = { onState: (state: SigningState) => void; stop: () => void };

/** How often the time that is left is updated. */
const EVERY_MS = 20_000;
const MINUTE_MS = 60_000;

/** Shows under a node what a signature waits for: the key service, or a person, with the time that is left. */
export function signingStatus(RED: NodeAPI, node: Node, signing: Signing): SigningStatus {
  const { custodian, deadline, timeoutMs = Number.POSITIVE_INFINITY, isPast = () => false } = signing;
  const endsAt = performance.now() + timeoutMs;
  const leftMs = () =>
    Math.min(endsAt - performance.now(), deadline === 0 ? timeoutMs : deadline * 1000 - Date.now());
  let newest: SigningState | undefined;
  const show = (): void => {
    if (newest === undefined || isPast()) return;
    const { state, isForPerson } = newest;
    const [key, words] = isForPerson ? leftOf(leftMs()) : ["waits-for", {}];
    showStatus(
      node,
      isForPerson ? "waiting" : "working",
      statusText(RED._, `common.status.${key}`, { custodian, state, ...words }),
    );
  };
  const timer = setInterval(show, EVERY_MS);
  timer.unref();
  return {
    onState: (state) => {
      newest = state;
      show();
    },
    stop: () => clearInterval(timer),
  };
}

/** The text about a person, by the time that is left. */
function leftOf(leftMs: number): [key: string, words: Record<string, string>] {
  if (leftMs === Number.POSITIVE_INFINITY) return ["person-approves", {}];
  if (leftMs < MINUTE_MS) return ["person-approves-soon", {}];
  return ["person-approves-within", { minutes: String(Math.floor(leftMs / MINUTE_MS)) }];
}
