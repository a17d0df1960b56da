import type { NodeDef } from "node-red";
import type { NodeContext } from "../context.ts";
import { errorText, toldError } from "../messages/error-texts.ts";
import { type CrecMessage, takenMessage, withDetails } from "../messages/message.ts";
import { toCodedError } from "../shared/errors.ts";
import { unsetVariable } from "../shared/variables.ts";
import { closeStatus, errorStatus, showReader, showStatus, statusText } from "../status/status.ts";
import { interrupted, type Run, type StoredTask, TAKEN_OVER, type Wait } from "../tasks/durable-task.ts";
import { DurableTasks } from "../tasks/durable-tasks.ts";
import { refuseRequest } from "../tasks/requests.ts";
import type { Reserve } from "../tasks/reserved-places.ts";
import { nextArrival } from "../tasks/reserved-places.ts";
import { noteWaiting } from "../tasks/waiting.ts";

export type Task = {
  msg: CrecMessage;
  /** Its number in the order of arrival. */
  arrivedAt: number;
  /** Sends a copy of one message to each port; `null` where a port stays silent. */
  send: (...ports: Array<CrecMessage | null>) => void;
  /** Aborted when the node is closed by a deploy. */
  signal: AbortSignal;
  /**
   * Reports an error now, while the work goes on: what comes later is only logged. Without an error, for one that was
   * reported before a restart.
   */
  tell: (thrown?: unknown) => void;
  /** Runs after the message is done, until the node is closed. Its errors are only logged. */
  afterwards: (work: () => Promise<void>) => void;
  /** Set for a message whose wait was interrupted: what is needed to continue it. */
  kept: StoredTask | undefined;
  /** Says what the node waits for from now on, and keeps it in a file until the message is done. */
  keep: (wait: Wait) => Promise<void>;
};

export type InputOptions = {
  /** For a node that waits: whether its form says that it resumes after a deploy. @throws where the form is wrong */
  resumes?: () => boolean;
  /** For a node that sends in the order of arrival: what is kept has its place there before it comes again. */
  reserve?: Reserve;
  /** The node works without a message too, and shows a status whenever it starts. */
  isAlwaysOn?: boolean;
};

/** A node that is closed does not wait longer than this for its messages to end. */
const CLOSE_MS = 5_000;
const MOST_NAMED = 20;

/**
 * Runs `work` for each message, once all variables in the node's settings are set. What it throws goes to Catch as an error with a code and into the status;
 * nothing ever rejects out of the handler, for a rejection there ends Node-RED. With `resumes`, a message whose wait
 * a deploy or a crash has interrupted comes again when the flows have started.
 */
export function onInput(
  { RED, node, t }: Omit<NodeContext, "closed">,
  def: NodeDef,
  work: (task: Task) => Promise<void>,
  { resumes, reserve, isAlwaysOn }: InputOptions = {},
): void {
  const unset = unsetVariable(def);
  const running = new Map<Run, Promise<void>>();
  const runs = new Set<Run>();
  const controllers = new Set<AbortController>();
  const waits = resumes && new DurableTasks(RED, node, runs, resumes, reserve);

  node.on("input", (incoming, send, done) => {
    const msg = takenMessage(incoming);
    const controller = new AbortController();
    const { signal } = controller;
    const run: Run = {
      msg,
      arrivedAt: nextArrival(),
      controller,
      id: undefined,
      kept: undefined,
      file: undefined,
      unsaved: undefined,
      isOver: false,
      ...waits?.take(incoming),
    };
    const ports: Task["send"] = (...out) => {
      // The nodes behind a node that is stopped may be stopped too: what is kept is sent after the deploy.
      if (signal.aborted && waits?.isOn) throw signal.reason;
      send(out.map((one) => one && RED.util.cloneMessage(one)));
    };
    let later: (() => Promise<void>) | undefined;
    const afterwards: Task["afterwards"] = (more) => {
      later = more;
    };
    const keep: Task["keep"] = async (wait) => {
      await waits?.keep(run, wait);
      if (!run.isOver) noteWaiting(incoming);
    };
    const attempt = async () => {
      if (unset) throw unset;
      const { kept, arrivedAt } = run;
      await work({ msg, arrivedAt, send: ports, signal, tell, afterwards, kept, keep });
    };
    let isTold = false;
    const tell: Task["tell"] = (thrown) => {
      isTold = true;
      run.isOver = true;
      if (thrown !== undefined) failed(thrown);
    };
    const failed = (thrown: unknown) => {
      const error = toCodedError(thrown);
      showStatus(node, "error", errorStatus(error));
      done(toldError(error));
    };
    const finish = async (thrown?: { error: unknown }): Promise<void> => {
      if (thrown && signal.reason === TAKEN_OVER) {
        // The message that replaced it also removes its file.
        run.isOver = true;
        refuseRequest(RED, msg);
        return;
      }
      if (thrown && signal.aborted) {
        const error = interrupted(thrown.error);
        if (isTold) return;
        // A message that is kept comes again.
        if (await waits?.keepStopped(run, error)) return;
        refuseRequest(RED, msg);
        done(toldError(error));
        return;
      }
      run.isOver = true;
      await waits?.end(run);
      if (isTold) return thrown && logged(thrown.error);
      if (!thrown) return done();
      if (toCodedError(thrown.error).code === "WAIT_DROPPED") refuseRequest(RED, msg);
      failed(thrown.error);
    };
    controllers.add(controller);
    runs.add(run);
    const finished = attempt()
      .then(
        () => finish(),
        (error: unknown) => finish({ error }),
      )
      .catch(logged)
      .finally(() => runs.delete(run));
    running.set(run, finished);
    void finished
      .then(() => running.delete(run))
      .then(() => later?.())
      .catch(logged)
      .finally(() => controllers.delete(controller));
  });

  if (!isAlwaysOn) showReader({ node, t });
  node.on("close", (removed: boolean, done: () => void) => {
    const left = [...running];
    for (const controller of controllers) controller.abort();
    const ends = isAlwaysOn ? "stopped" : left.length > 0 && "interrupted";
    // Node-RED takes away the status of a node that is removed.
    closeStatus(node, ends && !removed ? statusText(t, `common.status.${ends}`) : undefined);
    const close = async () => {
      await withinTime(left.map(([, finished]) => finished));
      const isDropped = await waits?.close(removed);
      tell(
        left.map(([run]) => run),
        isDropped === true,
      );
    };
    close().catch(logged).finally(done);
  });

  /** One line for all messages that the node has left, so that the log says what is still under way. */
  function tell(left: readonly Run[], isDropped: boolean): void {
    const open = left.filter(({ isOver }) => !isOver);
    const isKept = ({ file }: Run) => file !== undefined && !isDropped;
    const [kept, lost] = [open.filter(isKept), open.filter((run) => !isKept(run))];
    if (kept.length > 0) node.log(t("common.log.wait-kept", { ids: named(kept) }));
    if (lost.length > 0) node.warn(t("common.warning.interrupted", { ids: named(lost) }));
  }

  function logged(thrown: unknown): void {
    node.debug(errorText(thrown));
  }
}

/** The same message with a new payload; what others wrote into it, and into `msg.crec`, stays. */
export function answer(msg: CrecMessage, payload: unknown, crec: Record<string, unknown>): CrecMessage {
  return { ...msg, payload, crec: withDetails(msg, crec) };
}

async function withinTime(work: ReadonlyArray<Promise<void>>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, CLOSE_MS);
  });
  await Promise.race([Promise.all(work), late]).finally(() => clearTimeout(timer));
}

/** By what they wait for. */
function named(runs: readonly Run[]): string {
  const ids = runs.map(({ id, msg }) => id ?? idIn(msg) ?? `message ${msg._msgid}`);
  const more = ids.length > MOST_NAMED ? [`and ${ids.length - MOST_NAMED} more`] : [];
  return [...ids.slice(0, MOST_NAMED), ...more].join(", ");
}

function idIn({ crec = {} }: CrecMessage): string | undefined {
  const names = ["operationId", "queryId", "watcherId", "walletId", "walletOperationId"];
  const id = names.map((name) => crec[name]).find((one) => typeof one === "string");
  return id as string | undefined;
}
