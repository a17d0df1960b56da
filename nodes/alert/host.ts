import type { Node, NodeAPI } from "node-red";
import type { AlertOutcome, AlertRule } from "../../src/index.ts";
import { contractOf } from "../lib/runtime/config-nodes.ts";
import type { Task } from "../lib/runtime/input.ts";
import { type Library, loadLibrary } from "../lib/runtime/library.ts";
import { isTest } from "../lib/runtime/test-message.ts";
import { AlertStatus } from "./alert-status.ts";
import { Alerting, separateId } from "./alerting.ts";
import { evidenceOf } from "./evidence.ts";
import { Levels } from "./levels.ts";
import { type Memory, openMemory } from "./memory.ts";
import { Outlets } from "./outlets.ts";
import { Serial } from "./serial.ts";
import { type AlertFields, alertSettings, checkPaths } from "./settings.ts";
import { Ticker } from "./ticker.ts";

/** A copy has this long to send what it has to send. */
const OTHERS_MS = 60_000;

/** What a node is made of while it runs: each message, and the time, goes through its rule one after the other. */
export class AlertHost {
  readonly #fields: AlertFields;
  readonly #alerting: Alerting;
  readonly #memory: Memory;
  readonly #levels: Levels;
  readonly #outlets: Outlets;
  readonly #status: AlertStatus;
  readonly #ticker: Ticker;
  readonly #serial = new Serial();
  readonly #library: Library;
  readonly #closing = new AbortController();
  /** When what other copies have to send was looked at. */
  #lookedAt = Date.now();

  private constructor(RED: NodeAPI, node: Node, fields: AlertFields, library: Library) {
    const { contract, channel = "", fleet } = fields.settings;
    const decimals = contract ? contractOf(RED, contract).decimals : undefined;
    this.#fields = fields;
    this.#library = library;
    checkPaths(fields, library);
    const settings = alertSettings(fields, decimals);
    const keepsUntold = fields.flag("untilAcked");
    // What is wrong shows before the first message.
    for (const name of ["severity", "match", "forEach"] as const) fields.choice(name);
    this.#status = new AlertStatus(RED, node);
    this.#alerting = new Alerting(RED, node, { fields, settings, library });
    this.#levels = new Levels(RED, channel, library);
    this.#memory = openMemory(RED, node, {
      library,
      settings,
      fleet,
      onWarning: (message) => this.#status.warn(message),
      makeRule: (store) =>
        new library.AlertRule({
          ...{ id: node.id, settings, store, keepsUntold },
          forEach: fields.choice("forEach") !== "",
          onWarning: (message) => this.#status.warn(message),
        }),
    });
    this.#outlets = new Outlets(RED, node, {
      library,
      keepsUntold,
      told: (outcome) => this.#told(outcome),
      isUntold: (id) => this.#isUntold(id),
    });
    this.#ticker = new Ticker(RED, {
      channel,
      slackMs: settings.slackMs,
      onLag: (isBehind) => this.#status.lag(isBehind && settings.when.kind === "absence"),
      tick: (at) => this.#pass(at),
    });
  }

  /** @throws INVALID_FIELD, MISSING_VALUE, VARIABLE_MISSING, CONTRACT_MISSING */
  static async open(RED: NodeAPI, node: Node, fields: AlertFields): Promise<AlertHost> {
    return new AlertHost(RED, node, fields, await loadLibrary());
  }

  /** Reads what is stored, sends again what was not acknowledged, and follows the time. */
  async start(): Promise<void> {
    try {
      const rule = await this.#memory.rule();
      if (this.#fields.flag("untilAcked")) {
        const outcomes = await rule.untold();
        if (outcomes.length > 0) await this.#sendSeparate(outcomes);
      }
      this.#status.ready(this.#memory.isShared);
    } catch (error) {
      this.#status.problem(error);
    }
    if (!this.#closing.signal.aborted) this.#ticker.start();
  }

  /** Resolves when the memory has what the message changed, and the messages are sent. */
  take({ msg, send, signal }: Task): Promise<void> {
    return this.#serial.run(async () => {
      const isCounted = !isTest(msg) || this.#fields.flag("allowTest");
      const evidence = isCounted && (await evidenceOf(msg, this.#library, this.#levels, signal));
      let rule: AlertRule | undefined;
      const asked = async () => {
        rule ??= await this.#memory.rule();
        return rule;
      };
      let isGiven = false;
      const leaving = await this.#alerting.take(msg, {
        signal,
        accept: async (input) => {
          isGiven = true;
          const { log, isHighest } = evidence && evidence.kind === "log" ? evidence : {};
          const more = { ...(log ? { log } : {}), ...(isHighest === undefined ? {} : { isHighest }) };
          return (await asked()).accept({ ...input, ...more });
        },
      });
      // What is not counted may still show what became of an alert.
      const learned =
        evidence && !(isGiven && evidence.kind === "log") ? await (await asked()).learn(evidence) : [];
      if (learned.length > 0) await this.#sendSeparate(learned);
      this.#outlets.send(leaving, send);
      this.#status.left(leaving, msg);
      this.#ticker.note(msg);
      this.#ticker.look(rule?.nextCheckAt);
    });
  }

  async close(): Promise<void> {
    this.#ticker.stop();
    this.#closing.abort();
    this.#outlets.close();
    await this.#serial.idle();
    this.#status.close();
    await this.#memory.close();
  }

  /** What the time alone leads to. Returns when there is something to do next. */
  #pass(at: number): Promise<number | undefined> {
    return this.#serial.run(async () => {
      try {
        const rule = await this.#memory.rule();
        const outcomes = [...(await rule.readUpTo(at)), ...(await this.#untoldByOthers(rule))];
        if (outcomes.length > 0) await this.#sendSeparate(outcomes);
        this.#status.ready(this.#memory.isShared);
        return rule.nextCheckAt;
      } catch (error) {
        this.#status.problem(error);
        return undefined;
      }
    });
  }

  async #sendSeparate(outcomes: readonly AlertOutcome[]): Promise<void> {
    const separate = await this.#alerting.separate(outcomes, this.#closing.signal);
    this.#outlets.sendSeparate(separate);
    this.#status.told(separate);
  }

  /** What another copy was to send, and has perhaps ended before it could. */
  async #untoldByOthers(rule: AlertRule): Promise<AlertOutcome[]> {
    const now = Date.now();
    const isDue = this.#memory.isShared && now - this.#lookedAt > OTHERS_MS;
    if (!isDue || !this.#fields.flag("untilAcked")) return [];
    this.#lookedAt = now;
    return (await rule.untold()).filter((outcome) => now - timeOf(outcome) > OTHERS_MS);
  }

  /** Another copy may have been told. Where that cannot be known, it is sent again. */
  async #isUntold(id: string): Promise<boolean> {
    if (!this.#memory.isShared) return true;
    try {
      const outcomes = await (await this.#memory.rule()).untold();
      return outcomes.some((outcome) => separateId(outcome) === id);
    } catch {
      return true;
    }
  }

  async #told(outcome: AlertOutcome): Promise<void> {
    try {
      await (await this.#memory.rule()).told(outcome);
    } catch (error) {
      // It is sent again after a restart.
      this.#status.problem(error);
    }
  }
}

function timeOf(outcome: AlertOutcome): number {
  return outcome.kind === "alert" ? outcome.alert.at : outcome.at;
}
