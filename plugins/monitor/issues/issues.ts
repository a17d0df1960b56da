import { setImmediate as nextTurn } from "node:timers/promises";
import type { NodeAPI } from "node-red";
import { Flows } from "../../../nodes/common/flows/flows.ts";
import { Paths } from "../../../nodes/common/flows/paths.ts";
import { messageOf } from "../../../nodes/common/shared/errors.ts";
import { asAnyUser } from "../../../nodes/common/status/read-limit.ts";
import { type Activity, activity } from "../../../nodes/common/telemetry/activity.ts";
import type { Fix, Issue } from "../types.ts";
import { AnswerCache } from "./answer-cache.ts";
import { askService } from "./ask-service.ts";
import type { Check, Finding, Scene } from "./check.ts";
import { CHECKS } from "./checks/index.ts";
import { Ignored } from "./ignored.ts";
import type { IssueList } from "./issue-list.ts";
import { forgetLeftOpen } from "./left-open.ts";

/** A check that takes longer is given up for this time. */
const CHECK_MS = 5_000;
/** More is not a list that a person reads. */
const MOST_ISSUES = 500;
const LONGEST_DETAIL = 200;

type Options = { checks?: readonly Check[]; ask?: (scene: Scene) => Promise<void>; checkMs?: number };

/** Runs the checks, one run at a time, and keeps what they found. */
export class Issues implements IssueList {
  readonly #RED: NodeAPI;
  readonly #checks: readonly Check[];
  readonly #ask: (scene: Scene) => Promise<void>;
  readonly #checkMs: number;
  readonly #ignored: Ignored;
  readonly #asked = new AnswerCache();
  readonly #activity: Activity = activity;
  #issues: Issue[] = [];
  #flows: Flows | undefined;
  #revision = 0;
  #startedAt = Date.now();
  #running: Promise<void> = Promise.resolve();
  /** The run that is to start when the current one has ended. */
  #next: { asks: boolean; done: Promise<void> } | undefined;

  constructor(RED: NodeAPI, { checks = CHECKS, ask = askService, checkMs = CHECK_MS }: Options = {}) {
    this.#RED = RED;
    this.#checks = checks;
    this.#ask = ask;
    this.#checkMs = checkMs;
    this.#ignored = new Ignored(RED);
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
    await forgetLeftOpen(this.#RED, await Flows.read(this.#RED.nodes), file);
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
    const { ids, scene } = { ids: await this.#ignored.ids(), scene: await this.#scene() };
    // It may follow on a check after a refresh.
    if (asks) await asAnyUser(() => this.#ask(scene));
    scene.now = Date.now();
    const found = new Map<string, Omit<Issue, "isIgnored">>();
    for (const check of this.#checks) {
      for (const finding of await this.#found(check, scene)) {
        const issue = this.#issueOf(check, finding);
        if (found.size < MOST_ISSUES) found.set(issue.id, issue);
      }
      await nextTurn();
    }
    // Somebody may have ignored one meanwhile.
    this.#show([...found.values()].map((issue) => ({ ...issue, isIgnored: ids.has(issue.id) })));
  }

  async #scene(): Promise<Scene> {
    const RED = this.#RED;
    const flows = await Flows.read(RED.nodes);
    this.#flows = flows;
    const paths = new Paths(RED.nodes, flows);
    const [now, startedAt] = [Date.now(), this.#startedAt];
    return { RED, flows, paths, activity: this.#activity, asked: this.#asked, now, startedAt };
  }

  /** One that fails, or takes too long, finds nothing. */
  async #found(check: Check, scene: Scene): Promise<Finding[]> {
    let timer: NodeJS.Timeout | undefined;
    try {
      const late = new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(new Error("It took too long.")), this.#checkMs);
      });
      return await Promise.race([check.find(scene), late]);
    } catch (thrown) {
      this.#skip(check.name, thrown);
      return [];
    } finally {
      clearTimeout(timer);
    }
  }

  #skip(name: string, thrown: unknown): void {
    this.#RED.log.debug(`[CRE Connect] The check "${name}" was skipped: ${messageOf(thrown)}`);
  }

  #issueOf({ name: check }: Check, finding: Finding): Omit<Issue, "isIgnored"> {
    const { case: kind, severity, origin, detail = "", values = {}, buttons = [], isDeleted } = finding;
    const open: Fix[] = isDeleted ? [] : [{ kind: "open", node: origin.node }];
    const id = [check, kind, origin.node, detail.slice(0, LONGEST_DETAIL)].filter(Boolean).join(":");
    const say = (part: "what" | "fix") => this.#RED._(`monitor.issue.${check}.${kind}.${part}`, values);
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
