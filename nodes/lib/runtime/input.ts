import type { Node, NodeAPI, NodeDef } from "node-red";
import { nodeError, shortText, toCodedError } from "../shared/errors.ts";
import { unsetVariable } from "../shared/variables.ts";
import { withDetails } from "./details.ts";
import type { CrecMessage } from "./message.ts";

import { showStatus } from "./status.ts";

export type Task = {
  msg: CrecMessage;
  /** Sends a copy of one message to each port; `null` where a port stays silent. */
  send: (...ports: Array<CrecMessage | null>) => void;
  /** Aborted when the node is closed by a deploy. */
  signal: AbortSignal;
  /** Runs after the message is done, until the node is closed. Its errors are only logged. */
  afterwards: (work: () => Promise<void>) => void;
};

/**
 * Runs `work` for each message, once all variables in the node's settings are set. What it throws goes to Catch as an error with a code and into the status;
 * nothing ever rejects out of the handler, for a rejection there ends Node-RED.
 */
export function onInput(RED: NodeAPI, node: Node, def: NodeDef, work: (task: Task) => Promise<void>): void {
  const unset = unsetVariable(def);
  const running = new Set<AbortController>();
  node.on("input", (incoming, send, done) => {
    const msg = incoming as CrecMessage;
    const controller = new AbortController();
    running.add(controller);
    const ports: Task["send"] = (...out) => send(out.map((one) => one && RED.util.cloneMessage(one)));
    let later: (() => Promise<void>) | undefined;
    const afterwards: Task["afterwards"] = (more) => {
      later = more;
    };
    const attempt = async () => {
      if (unset) throw unset;
      await work({ msg, send: ports, signal: controller.signal, afterwards });
    };
    attempt()
      .then(
        () => done(),
        (thrown: unknown) => {
          const error = toCodedError(controller.signal.aborted ? interrupted(thrown) : thrown);
          if (!controller.signal.aborted) showStatus(node, "error", shortText(error));
          done(error);
        },
      )
      .then(() => later?.())
      .catch((thrown: unknown) => node.debug(toCodedError(thrown).message))
      .finally(() => running.delete(controller));
  });
  node.on("close", (done: () => void) => {
    for (const controller of running) controller.abort();
    done();
  });
}

/** The same message with a new payload; what others wrote into it, and into `msg.crec`, stays. */
export function answer(msg: CrecMessage, payload: unknown, crec: Record<string, unknown>): CrecMessage {
  return { ...msg, payload, crec: withDetails(msg, crec) };
}

function interrupted(cause: unknown): Error {
  return nodeError(
    "WAIT_INTERRUPTED",
    "A deploy or a stop ended this node while it was still waiting. What it had asked for may still happen: look for it before you send the message again.",
    cause,
  );
}
