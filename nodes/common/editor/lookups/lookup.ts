import { isSameId } from "../../../../src/protocol/ids.ts";
import { ADDRESS } from "../../shared/field-checks.ts";
import type { Answer, Choice, Choices } from "../../shared/form-types.ts";
import { isChosen, isReference } from "../../shared/variables.ts";
import type { Completion, CompletionSearch, EditedNode } from "../api.ts";
import { copyButton } from "../buttons.ts";
import { hintUnder } from "../form-rows.ts";
import { liveCheck, PAUSE_MS, TYPED } from "../while-open.ts";
import { ADDRESSES, isOnNetwork, shortAddress, withConfigNodes } from "./addresses.ts";
import { getJson, requestFailure } from "./admin-requests.ts";

/** What is remembered of an answer, so that typing does not ask the service at each key. */
const FRESH_MS = 5000;
const fresh = new Map<string, { at: number; answer: Promise<Answer<Choices>> }>();
/** What can be a value itself, where not every text can. */
const CAN_BE: Readonly<Record<string, RegExp>> = { networks: /^\d+$/, [ADDRESSES]: /^(0x|\$\{)/i };
/** An address or an id: what a list of names does not have may be there all the same. */
const NO_NAME = /^0x|^[0-9a-f]{8}-[0-9a-f]{4}-/i;

/** What a box offers; in a form that manages several things it depends on what is chosen. */
type Kind = string | (() => string);

/**
 * A search over what the service has, for a box that can also be typed into by hand.
 * `configNode` names the config node to ask; without one, or where nothing answers, the list is empty. With `network`,
 * a chain selector, what is on another network is left out.
 */
export function lookUp(kind: Kind, configNode: () => string, network = () => ""): CompletionSearch {
  let latest = 0;
  return (text, done) => {
    latest += 1;
    const search = latest;
    // Where each text is a question of its own, the service is asked once a person pauses.
    const paused = () =>
      new Promise<boolean>((resolve) => {
        setTimeout(() => resolve(search === latest), PAUSE_MS);
      });
    const typed = isShowingAll ? "" : text.trim();
    choicesFor(kindOf(kind), configNode(), typed, paused).then(
      (answer) => {
        const choices = answer?.problem === undefined ? (answer?.choices ?? []) : [];
        const offered = choices.filter((choice) => isOnNetwork(choice, network()));
        done(completionsOf(kindOf(kind), offered, typed));
      },
      () => done([]),
    );
  };
}

/** Set while a click asks for the list: it shows what there is, and not only what is like the value in the box. */
let isShowingAll = false;

/**
 * A click into a box with a list shows it. Node-RED itself shows it only to a person who types, and its tab key takes
 * the first line: after a click it leaves the value as it is.
 */
export function listOnClick(box: JQuery): void {
  let isUntouched = false;
  box.on("click", () => {
    if (!box.hasClass("red-ui-autoComplete")) return;
    isShowingAll = true;
    isUntouched = true;
    // Only the handler of the list: nothing was typed.
    box.trigger("keyup.red-ui-autoComplete");
    isShowingAll = false;
  });
  box.on("input", () => {
    isUntouched = false;
  });
  box[0]?.addEventListener(
    "keydown",
    (event) => {
      if (!isUntouched || !["Tab", "Enter"].includes(event.key)) return;
      isUntouched = false;
      event.stopImmediatePropagation();
      // Closes the list, as a click beside it does.
      $(document).trigger("mousedown.red-ui-popover-panel-close");
    },
    { capture: true },
  );
}

/** Puts the only choice into an empty box, now and when another config node is chosen. */
export function preselectOnly(field: JQuery, kind: string, configNode: () => string): { now(): void } {
  const isEmpty = () => String(field.val() ?? "").trim() === "";
  const look = liveCheck<Answer<Choices> | undefined>(
    field,
    () => (isEmpty() ? choicesFor(kind, configNode(), "") : undefined),
    (answer) => {
      if (answer?.problem !== undefined || answer?.choices.length !== 1 || !isEmpty()) return;
      field.val(answer.choices[0]?.value ?? "").trigger("change");
    },
  );
  look.now();
  return look;
}

/**
 * Describes the value of a field below it: the name of a network, the status of a channel; or why there is
 * nothing to pick from. `missing` is a key of the catalog, for a text that the service surely knows nothing of.
 */
export function describeUnder(
  node: EditedNode,
  field: JQuery,
  kind: Kind,
  configNode: () => string,
  missing?: string,
): { now(): void } {
  const hint = hintUnder(field);
  const isTyped = () =>
    field.next(".red-ui-typedInput-container").length === 0 || field.typedInput("type") === "str";
  const typed = () => (isTyped() ? String(field.val() ?? "").trim() : "");
  const look = liveCheck<Answer<Choices> | undefined>(
    field,
    () =>
      isTyped() && !isReference(typed())
        ? choicesFor(kindOf(kind), configNode(), typed()).catch((failure: unknown) => ({
            ...{ problem: requestFailure(node, failure, "crec.read"), code: "UNANSWERED" },
          }))
        : undefined,
    (answer) => {
      const chosen = answer && chosenIn(answer, typed());
      const address = chosen ? addressIn(chosen) : [typed()].find((text) => ADDRESS.test(text));
      const copy = address ? copyButton(node, "common.label.copy-address", () => address) : undefined;
      hint.say(answer ? described(node, answer, typed(), missing) : "", copy);
    },
  );
  field.on(TYPED, () => look.soon());
  look.now();
  return look;
}

function described(node: EditedNode, answer: Answer<Choices>, text: string, missing?: string): string {
  if (answer.problem !== undefined) return node._("common.hint.no-list", { problem: answer.problem });
  if (answer.undeployed) return node._("common.hint.undeployed");
  const chosen = chosenIn(answer, text);
  if (chosen) return descriptionOf(chosen, text);
  return isMissing(answer, text) && missing ? node._(missing) : "";
}

/** Whether the service surely knows nothing by this name. */
export function isMissing(answer: Answer<Choices>, text: string): boolean {
  if (answer.problem !== undefined || answer.cut || answer.undeployed) return false;
  const isName = text !== "" && !NO_NAME.test(text) && !isReference(text);
  return isName && chosenIn(answer, text) === undefined;
}

function chosenIn(answer: Answer<Choices>, text: string): Choice | undefined {
  if (answer.problem !== undefined || text === "") return undefined;
  return answer.choices.find(({ value, detail }) => isSameId(value, text) || hasWord(detail, text));
}

/** Of a contract, a wallet or a signer: it is the value, or listed with the status. */
function addressIn({ value, detail = "" }: Choice): string | undefined {
  return [value, ...detail.split(/[\s,]+/)].find((word) => ADDRESS.test(word));
}

/** As `Sepolia · testnet · reports blocks at: finalized`, without what was typed. */
export function descriptionOf({ label, detail = "", note = "" }: Choice, typed: string): string {
  return [label, detail, note].filter((part) => part !== "" && part !== typed).join(" · ");
}

/** A wallet can be given by its address, which is listed with its status. */
function hasWord(detail: string | undefined, text: string): boolean {
  if (!ADDRESS.test(text)) return false;
  const words = (detail ?? "").toLowerCase().split(/[\s,]+/);
  return words.includes(text.toLowerCase());
}

function kindOf(kind: Kind): string {
  return typeof kind === "string" ? kind : kind();
}

/**
 * The list that can be read is the same whatever is typed. Only where it was cut, the service is asked for what the
 * text may mean, unless `mayAsk` says that the answer is no longer needed.
 */
async function choicesFor(
  kind: string,
  id: string,
  text: string,
  mayAsk: () => Promise<boolean> = () => Promise.resolve(true),
): Promise<Answer<Choices> | undefined> {
  if (kind === ADDRESSES) return knownAddresses(id);
  if (!kind || !isChosen(id)) return undefined;
  const all = await remembered(`${kind}/${encodeURIComponent(id)}`);
  if (all.problem !== undefined || !all.cut || text === "") return all;
  if (all.choices.some(({ value }) => isSameId(value, text)) || !(await mayAsk())) return all;
  return remembered(`${kind}/${encodeURIComponent(id)}?text=${encodeURIComponent(text)}`);
}

/** All of a list, for a part of a form that shows it in its own way. `id` is that of the config node that has it. */
export function listed(kind: string, id: string): Promise<Answer<Choices>> {
  return remembered(`${kind}/${encodeURIComponent(id)}`);
}

/**
 * Contracts, wallets and signers with their names. Those of the editor are there without a config node to ask, and where
 * Node-RED refuses to answer.
 */
export async function knownAddresses(id: string): Promise<Choices> {
  const asked = `${ADDRESSES}/${encodeURIComponent(id || "_")}`;
  return withConfigNodes(await remembered(asked).catch(() => ({ choices: [] })));
}

function remembered(question: string): Promise<Answer<Choices>> {
  for (const [old, { at }] of fresh) if (performance.now() - at > FRESH_MS) fresh.delete(old);
  const answer = fresh.get(question)?.answer ?? getJson<Choices>(`crec/lookup/${question}`);
  if (!fresh.has(question)) fresh.set(question, { at: performance.now(), answer });
  return answer;
}

/** The tab key takes the first line. So the typed text comes first if it can be a value itself. */
function completionsOf(kind: string, choices: readonly Choice[], text: string): Completion[] {
  const lowerCase = text.toLowerCase();
  const found = choices.filter((choice) => matches(choice, lowerCase));
  const exact = found.filter(({ value }) => isSameId(value, text));
  const others = found.filter(({ value }) => !isSameId(value, text));
  const asTyped = text !== "" && (CAN_BE[kind]?.test(text) ?? true) && exact.length === 0;
  if (others.length === 0 && exact.length === 0) return [];
  const typed = asTyped ? [{ value: text, label: text, detail: "" }] : exact;
  return [...typed, ...others].map(completion);
}

function matches({ label, value, detail }: Choice, lowerCase: string): boolean {
  return [label, value, detail ?? ""].some((part) => part.toLowerCase().includes(lowerCase));
}

/** Built from text nodes: what the service calls a thing must not become HTML here. */
function completion({ value, label, detail, note }: Choice): Completion {
  const short = detail && ADDRESS.test(value) ? shortAddress(value) : "";
  const line = $("<div>").css({ display: "flex", "justify-content": "space-between", gap: "1em" });
  $("<span>").text(label).appendTo(line);
  $("<span>")
    .css("opacity", "0.7")
    .text([short, detail ?? value, note].filter(Boolean).join(" · "))
    .appendTo(line);
  return { value, label: line };
}

/** The same search for a box that holds several values with commas between: it completes the last of them. */
export function completeLast(search: CompletionSearch): CompletionSearch {
  return (text, done) => {
    const [, before = "", last = ""] = /^(.*,\s*)?(.*)$/s.exec(text) ?? [];
    search(last, (found) => done(found.map(({ value, label }) => ({ value: before + value, label }))));
  };
}
