import { setImmediate as nextTurn } from "node:timers/promises";
import type { NodeRedContext } from "../../../nodes/common/context.ts";
import { Flows } from "../../../nodes/common/flows/flows.ts";
import { messageOf } from "../../../nodes/common/shared/errors.ts";
import { asAnyUser } from "../../../nodes/common/status/read-limit.ts";
import { type Activity, activity } from "../../../nodes/common/telemetry/activity.ts";
import type { Fix, Issue } from "../types.ts";
import { AnswerCache } from "./answer-cache.ts";
import { askService } from "./ask-service.ts";
import { type Check, CheckContext, type Finding } from "./check-context.ts";
import { CHECKS } from "./checks/index.ts";
import { Ignored } from "./ignored.ts";
import { forgetLeftOpen } from "./left-open.ts";

/** The issues of what is deployed. */
export type IssueList = {
  /** Changes whenever an issue does. */
  readonly revision: number;
  /** Whether a running node uses this config node; also true before the first check. */
  isUsed(node: string): boolean;
  /** Errors first, ignored ones last. */
  all(): Issue[];
  /** Asks the service what only it knows, also by queries, then checks. Never rejects. */
  run(): Promise<void>;
  /** Checks with what is known already. Never rejects. */
  check(): Promise<void>;
  /** Remembered across restarts. */
  ignore(id: string, isIgnored: boolean): Promise<void>;
};

/** A check that takes longer is given up for this time. */
const CHECK_MS = 5_000;
/** More is not a list that a person reads. */
const MOST_ISSUES = 500;
const LONGEST_DETAIL = 200;

type Options = {
  checks?: readonly Check[];
  ask?: (context: CheckContext) => Promise<void>;
  checkMs?: number;
};

/** Runs the checks, one run at a time, and keeps what they found. */
export class Issues implements IssueList {
  readonly #nodeRed: NodeRedContext;
  readonly #checks: readonly Check[];
  readonly #ask: (context: CheckContext) => Promise<void>;
  readonly #checkMs: number;
  readonly #ignored: Ignored;
  readonly #answers = new AnswerCache();
  readonly #activity: Activity = activity;
  #issues: Issue[] = [];
  #flows: Flows | undefined;
  #revision = 0;
  #startedAt = Date.now();
  #running: Promise<void> = Promise.resolve();
  /** The run that is to start when the current one has ended. */
  #next: { asks: boolean; done: Promise<void> } | undefined;

  constructor(
    nodeRed: NodeRedContext,
    { checks = CHECKS, ask = askService, checkMs = CHECK_MS }: Options = {},
  ) {
    this.#nodeRed = nodeRed;
    this.#checks = checks;
    this.#ask = ask;
    this.#checkMs = checkMs;
    this.#ignored = new Ignored(nodeRed.RED);
  }

  get revision(): number {
    return this.#revision;
  }

  isUsed(node: string): boolean {
    return this.#flows === undefined || this.#flows.get(node) !== undefined;
  }

  all(): Issue[] {
    return this.#issues;
  }

  /** The flows have started: what happened before says nothing about their settings. */
  noteStart(): void {
    this.#startedAt = Date.now();
  }

  run(): Promise<void> {
    return this.#schedule(true);
  }

  check(): Promise<void> {
    return this.#schedule(false);
  }

  /** @throws ISSUES_NOT_SAVED */
  async ignore(id: string, isIgnored: boolean): Promise<void> {
    const saved = this.#ignored.set(id, isIgnored);
    this.#show(this.#issues.map((issue) => (issue.id === id ? { ...issue, isIgnored } : issue)));
    await saved;
  }

  /** Forgets the open alerts of a deleted node, by its file. @throws FOLDER_IN_USE, FOLDER_NOT_LOCKED */
  async closeAlerts(file: string): Promise<void> {
    await forgetLeftOpen({ ...this.#nodeRed, flows: await Flows.read(this.#nodeRed.RED.nodes) }, file);
    await this.check();
  }

  #schedule(asks: boolean): Promise<void> {
    if (this.#next) {
      this.#next.asks ||= asks;
      return this.#next.done;
    }
    const next = { asks, done: Promise.resolve() };
    next.done = this.#running.then(() => {
      this.#next = undefined;
      return this.#once(next.asks).catch((thrown: unknown) => this.#skip("all", thrown));
    });
    this.#next = next;
    this.#running = next.done;
    return next.done;
  }

  async #once(asks: boolean): Promise<void> {
    const { ids, context } = { ids: await this.#ignored.ids(), context: await this.#context() };
    // It may follow on a check after a refresh.
    if (asks) await asAnyUser(() => this.#ask(context));
    context.now = Date.now();
    const found = new Map<string, Omit<Issue, "isIgnored">>();
    for (const check of this.#checks) {
      for (const finding of await this.#found(check, context)) {
        const issue = this.#issueOf(check, finding);
        if (found.size < MOST_ISSUES) found.set(issue.id, issue);
      }
      await nextTurn();
    }
    // Somebody may have ignored one meanwhile.
    this.#show([...found.values()].map((issue) => ({ ...issue, isIgnored: ids.has(issue.id) })));
  }

  async #context(): Promise<CheckContext> {
    const flows = await Flows.read(this.#nodeRed.RED.nodes);
    this.#flows = flows;
    const [now, startedAt] = [Date.now(), this.#startedAt];
    const { RED, t } = this.#nodeRed;
    const known = { flows, activity: this.#activity, answers: this.#answers };
    return new CheckContext({ RED, t, ...known, now, startedAt });
  }

  /** One that fails, or takes too long, finds nothing. */
  async #found(check: Check, context: CheckContext): Promise<Finding[]> {
    let timer: NodeJS.Timeout | undefined;
    try {
      const late = new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(new Error("It took too long.")), this.#checkMs);
      });
      return await Promise.race([check.find(context), late]);
    } catch (thrown) {
      this.#skip(check.name, thrown);
      return [];
    } finally {
      clearTimeout(timer);
    }
  }

  #skip(name: string, thrown: unknown): void {
    this.#nodeRed.RED.log.debug(`[CRE Connect] The check "${name}" was skipped: ${messageOf(thrown)}`);
  }

  #issueOf({ name: check }: Check, finding: Finding): Omit<Issue, "isIgnored"> {
    const { case: kind, severity, origin, detail = "", values = {}, buttons = [], isDeleted } = finding;
    const open: Fix[] = isDeleted ? [] : [{ kind: "open", node: origin.node }];
    const id = [check, kind, origin.node, detail.slice(0, LONGEST_DETAIL)].filter(Boolean).join(":");
    const say = (part: "what" | "fix") => this.#nodeRed.t(`monitor.issue.${check}.${kind}.${part}`, values);
    return {
      ...{ id, check, severity, origin, said: { case: kind, values }, what: say("what"), fix: say("fix") },
      buttons: [...open, ...buttons],
    };
  }

  #show(issues: readonly Issue[]): void {
    const rank = ({ isIgnored, severity }: Issue) => (isIgnored ? 2 : severity === "error" ? 0 : 1);
    const sorted = issues.toSorted((one, other) => rank(one) - rank(other));
    if (JSON.stringify(sorted) === JSON.stringify(this.#issues)) return;
    this.#issues = sorted;
    this.#revision += 1;
  }
}
