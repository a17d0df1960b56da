import type { FlowNode } from "../shared/job.ts";
import { CommandProblem } from "./problem.ts";

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
