import { readFile, writeFile } from "node:fs/promises";
import { isNewer } from "../../src/storage/newer.ts";
import { reportOfFile } from "../parent/checked-report.ts";
import type { Expectations } from "../report/expectations.ts";
import type { ContextCopy, FlowNode, TestReplies } from "../shared/job.ts";
import type { Report } from "../shared/report.ts";
import { CommandProblem, messageOf } from "./command-line.ts";

// Each throws a CommandProblem that names the file.

/** An export of the editor, or a flows file, of either version of Node-RED's format. */
export async function readFlows(path: string): Promise<FlowNode[]> {
  const content = await readJson(path, "flows");
  const nodes = isObject(content) ? content.flows : content;
  const isNode = (node: unknown): boolean =>
    isObject(node) && typeof node.id === "string" && typeof node.type === "string";
  if (Array.isArray(nodes) && nodes.length > 0 && nodes.every(isNode)) return nodes as FlowNode[];
  throw new CommandProblem(
    `${path} has no flows. Name a file that the editor exported as JSON, or the flows file of a Node-RED.`,
  );
}

export async function readExpectations(path: string): Promise<Expectations> {
  const content = await readJson(path, "expectations");
  checkFormat(content, {
    path,
    format: "crec-expectations",
    lists: ["nodes"],
    instead: "Write it with --write-expect.",
  });
  const { run, events, nodes } = content as Partial<Expectations>;
  const isComplete = isObject(run) && isObject(events) && nodes?.every((node) => isObject(node?.counts));
  const hasTimes = [run?.from, run?.to].every((time) => !Number.isNaN(Date.parse(String(time))));
  if (isComplete && hasTimes && Array.isArray(run.tabs)) return content as Expectations;
  throw new CommandProblem(`${path} is not complete. Write it again with --write-expect.`);
}

export async function readReport(path: string): Promise<Report> {
  const content = await readJson(path, "report");
  const instead = "Write it with --report.";
  checkFormat(content, { path, format: "crec-rehearsal", lists: [], instead });
  const report = reportOfFile(content);
  if (report !== undefined) return report;
  throw new CommandProblem(`${path} is no whole report. ${instead}`);
}

export async function readReplies(path: string): Promise<TestReplies> {
  const content = await readJson(path, "test replies");
  const isReply = (reply: unknown): boolean =>
    Array.isArray(reply) && reply.every((message) => message === null || isObject(message));
  const isReplies = (replies: unknown): boolean => Array.isArray(replies) && replies.every(isReply);
  if (isObject(content) && Object.values(content).every(isReplies)) return content as TestReplies;
  throw new CommandProblem(
    `${path} has no test replies. Write, for the id of each node, a list of replies; each has one message or null for each output: {"id": [[{"payload": 1}]]}.`,
  );
}

export async function readContext(path: string): Promise<ContextCopy> {
  const content = await readJson(path, "context");
  const parts = isObject(content) ? [content.global ?? {}, content.flows ?? {}, content.nodes ?? {}] : [];
  const [global, flows, nodes] = parts;
  const isEach = (each: unknown): boolean => isObject(each) && Object.values(each).every(isObject);
  if (isObject(global) && isEach(flows) && isEach(nodes)) return { global, flows, nodes } as ContextCopy;
  throw new CommandProblem(
    `${path} has no context. Write {"global": {…}, "flows": {"id": {…}}, "nodes": {"id": {…}}}; parts can be left out.`,
  );
}

export async function write(path: string, text: string): Promise<void> {
  await writeFile(path, text).catch((error: unknown) => {
    throw new CommandProblem(
      `${path} cannot be written: ${messageOf(error)}. Name a file in a folder that exists and that you may write to.`,
    );
  });
}

async function readJson(path: string, what: string): Promise<unknown> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    throw new CommandProblem(`The file of the ${what} cannot be read: ${messageOf(error)}. Check its path.`);
  });
  try {
    // An editor may have put a byte order mark before it.
    return JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    throw new CommandProblem(`${path} is not JSON: ${messageOf(error)}. Correct it, or write it again.`);
  }
}

function checkFormat(
  content: unknown,
  {
    path,
    format,
    lists,
    instead,
  }: { path: string; format: string; lists: readonly string[]; instead: string },
): void {
  if (!isObject(content) || content.format !== format) {
    throw new CommandProblem(`${path} is no file of the format ${format}. ${instead}`);
  }
  if (content.version !== 1) {
    const why = isNewer(content) ? "was written by a newer version of this package" : "has no known version";
    throw new CommandProblem(`${path} ${why}. Install that version, or write it again: ${instead}`);
  }
  if (!lists.every((name) => Array.isArray(content[name]))) {
    throw new CommandProblem(`${path} is not complete. ${instead}`);
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * The ids of the tabs to rehearse: those that are named, by label or id, else all that are enabled.
 *
 * @throws CommandProblem when a name is not there, or is that of several tabs
 */
export function tabIdsOf(flows: readonly FlowNode[], names: readonly string[]): string[] {
  const tabs = flows.filter(({ type }) => type === "tab");
  if (tabs.length === 0) {
    throw new CommandProblem(
      "The flows have no tab. Export whole flows from the editor, not only selected nodes.",
    );
  }
  if (names.length > 0) return [...new Set(names.map((name) => tabId(tabs, name)))];
  const enabled = tabs.filter(({ disabled }) => disabled !== true).map(({ id }) => id);
  if (enabled.length > 0) return enabled;
  throw new CommandProblem(
    `All tabs are disabled: ${labels(tabs)}. Enable one in the editor, and export the flows again.`,
  );
}

function tabId(tabs: readonly FlowNode[], name: string): string {
  const byId = tabs.find(({ id }) => id === name);
  if (byId) return byId.id;
  const [tab, other] = tabs.filter(({ label }) => label === name);
  if (tab === undefined) {
    throw new CommandProblem(
      `The flows have no tab ${JSON.stringify(name)}. Name one of these: ${labels(tabs)}.`,
    );
  }
  if (other !== undefined) {
    throw new CommandProblem(
      `Several tabs have the name ${JSON.stringify(name)}. Name the id: ${tab.id} or ${other.id}.`,
    );
  }
  return tab.id;
}

function labels(tabs: readonly FlowNode[]): string {
  return tabs.map(({ id, label }) => JSON.stringify(label || id)).join(", ");
}
