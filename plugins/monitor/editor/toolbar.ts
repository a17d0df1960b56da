import type { Decided } from "../../../nodes/common/approvals/types.ts";
import { icon, make } from "../../../nodes/common/editor/elements.ts";
import { getJson, postJson, refusalOf } from "../../../nodes/common/editor/lookups/admin-requests.ts";
import type { Answer } from "../../../nodes/common/shared/form-types.ts";
import { say } from "./node-red.ts";
import { word } from "./words.ts";

/** What `POST /crec/monitor/refresh` answers. */
type Refreshed = { watchers: number; wallets: number; problems: readonly string[] };

/** Asks the service for watchers and wallets, and runs the checks. */
export function refresh(): Promise<void> {
  return withNotice(postJson<Refreshed>("crec/monitor/refresh"), ({ watchers, wallets, problems }) => {
    const counts = [word("hint.watchers", { count: watchers }), word("hint.wallets", { count: wallets })];
    const text = word("hint.refreshed", { counts: counts.join(", ") });
    say([text, ...problems].join(" "), problems.length === 0 ? "success" : "warning");
  });
}

export function runChecks(): Promise<void> {
  return withNotice(postJson<object>("crec/monitor/issues/run"), () => {});
}

export function ignoreIssue(id: string, isIgnored: boolean): Promise<void> {
  return withNotice(postJson<object>("crec/monitor/issues/ignore", { id, isIgnored }), () => {});
}

export function closeAlerts(file: string): Promise<void> {
  return withNotice(postJson<object>("crec/monitor/issues/close", { file }), () => {});
}

/** The draft is decided as it was shown: the digest names it. */
export function decide(decision: { key: string; digest: string; isApproved: boolean }): Promise<void> {
  return withNotice(postJson<Decided>("crec/operation/decide", decision), ({ outcome, left }) =>
    say(word(`hint.decided-${outcome}`, { count: left }), "success"),
  );
}

export function copyDiagnostics(): Promise<void> {
  return withNotice(getJson<{ text: string }>("crec/diagnostics?format=text"), ({ text }) => {
    // To copy takes the focus.
    const focused = document.activeElement as HTMLElement | null;
    const isCopied = RED.clipboard.copyText(text);
    focused?.focus({ preventScroll: true });
    say(word(isCopied ? "hint.copied" : "error.not-copied"), isCopied ? "success" : "error");
  });
}

/** Opens the dialog of the rehearsal, which is a plugin of its own. */
export async function rehearse(): Promise<void> {
  RED.actions.invoke("crec:rehearse");
}

/** A button that is disabled while it works. */
export function workButton(name: string, iconName: string, work: () => Promise<void>): HTMLButtonElement {
  const label = make("span", "", ` ${word(`label.${name}`)}`);
  const button = make("button", "red-ui-button red-ui-button-small", icon(iconName), label);
  button.type = "button";
  // Where it is narrow, some show their icon only.
  button.setAttribute("aria-label", word(`label.${name}`));
  button.title = word(`hint.${name}`);
  button.addEventListener("click", async () => {
    if (button.getAttribute("aria-disabled") === "true") return;
    // A disabled button would lose the focus.
    button.setAttribute("aria-disabled", "true");
    await work();
    button.removeAttribute("aria-disabled");
  });
  return button;
}

/** Shows a notice where the request fails. */
async function withNotice<T>(asked: Promise<Answer<T>>, done: (answer: T) => void): Promise<void> {
  try {
    const answer = await asked;
    if (answer.problem !== undefined) say(answer.problem, "error");
    else done(answer as T);
  } catch (failure) {
    say(word(`error.${refusalOf(failure) ?? "unanswered"}`), "error");
  }
}
