import type { EditedNode } from "../../common/editor/api.ts";
import { partOf } from "../../common/editor/form-fields.ts";
import { inputOf } from "../../common/editor/form-rows.ts";
import { readContract } from "../../common/editor/lookups/read-contract.ts";
import { trackOpen } from "../../common/editor/while-open.ts";
import { ADDRESS } from "../../common/shared/field-checks.ts";
import type { ContractPlace, OnChain } from "../../common/shared/form-types.ts";
import { isChosen, isReference } from "../../common/shared/variables.ts";
import { NODE } from "../fields.ts";

/** The place that this form has read last, so that the same is not read again when it closes. */
let lastRead = "";

/** The button "Read from the chain". */
export function readButton(node: EditedNode): void {
  lastRead = "";
  const result = partOf(NODE, "read-result");
  const isOpen = trackOpen(result);
  let newest = 0;
  const say = (text: string, tone: "success" | "warning" | "error" | "secondary"): void => {
    const color = tone === "secondary" ? "--red-ui-secondary-text-color" : `--red-ui-text-color-${tone}`;
    result.text(text).css("color", `var(${color})`);
  };
  const outdate = (): void => {
    newest += 1;
    say("", "secondary");
  };
  inputOf("address").add(inputOf("chainSelector")).add(inputOf("connection")).on("change input", outdate);
  partOf(NODE, "read").on("click", async () => {
    newest += 1;
    const number = newest;
    const place = placeIn(node);
    say(node._("contract.read.reading"), "secondary");
    const answer = await readContract(node, place);
    // The form was closed, or something else is typed now.
    if (number !== newest || !isOpen()) return;
    if (answer.problem !== undefined) {
      return say(node._("contract.read.not-read", { problem: answer.problem }), "error");
    }
    lastRead = JSON.stringify(place);
    const warning = warningOf(node, answer, typedDecimals());
    if (answer.isContract === false) return say(warning, "error");
    fillIn(answer);
    say([factsOf(node, answer), warning].filter(Boolean).join(" "), warning ? "warning" : "success");
  });
}

/** When the form closes with another address or network: a warning, and the decimals where none are typed. */
export function readWhenSaved(node: EditedNode): void {
  const place = placeIn(node);
  const before = { ...place, ...stored(node) };
  const isKnown = [JSON.stringify(before), lastRead].includes(JSON.stringify(place));
  const canBeRead = isChosen(place.connection) && place.chainSelector !== "";
  readAfterDeploy.delete(node.id);
  if (isKnown || !canBeRead || !(ADDRESS.test(place.address) || isReference(place.address))) return;
  const decimals = typedDecimals();
  const name = String(inputOf("name").val() || place.address);
  const saved = { node, name, decimals, place };
  const answered = (answer: OnChain): void => {
    warn(saved, answer);
    fillInLater(saved, answer);
  };
  ask(saved, answered, () => waitForDeploy(saved));
}

type Saved = { node: EditedNode; name: string; decimals: string; place: ContractPlace };

/** What a deploy can make readable: it may bring the connection, and a flow that creates a channel. */
const AFTER_DEPLOY: readonly string[] = ["DEPLOY_FIRST", "CHANNEL_NOT_FOUND"];
/** A deploy is answered before its flows run: until then, nothing has changed. */
const TRIES = 10;
const PAUSE_MS = 500;
const readAfterDeploy = new Map<string, Saved>();
let isListening = false;

/**
 * What could not be read is no warning: the form has a button that says why. Nor is it one that the permission is
 * missing, or that Node-RED does not answer: the person has pressed no button.
 */
function ask(saved: Saved, answered: (answer: OnChain) => void, notYet: () => void): void {
  readContract(saved.node, saved.place).then((answer) => {
    if (answer.problem === undefined) answered(answer);
    else if (AFTER_DEPLOY.includes(answer.code)) notYet();
  });
}

function waitForDeploy(saved: Saved): void {
  readAfterDeploy.set(saved.node.id, saved);
  if (isListening) return;
  isListening = true;
  RED.events.on("deploy", () => {
    const all = [...readAfterDeploy.values()];
    readAfterDeploy.clear();
    for (const saved of all) readDeployed(saved, TRIES);
  });
}

/** What is deployed is not changed any more: it would have to be deployed again. */
function readDeployed(saved: Saved, tries: number): void {
  const contract = RED.nodes.node(saved.node.id);
  if (contract?.address !== saved.place.address) return;
  const answered = (answer: OnChain): void => {
    warn(saved, answer);
    if (answer.decimals === undefined || contract.decimals) return;
    notify(saved, "warning", saved.node._("contract.read.has", { decimals: answer.decimals }));
  };
  ask(saved, answered, () => {
    if (tries > 1) setTimeout(() => readDeployed(saved, tries - 1), PAUSE_MS);
    else waitForDeploy(saved);
  });
}

function warn(saved: Saved, answer: OnChain): void {
  const warning = warningOf(saved.node, answer, saved.decimals);
  if (warning) notify(saved, "warning", warning);
}

function fillInLater(saved: Saved, { decimals }: OnChain): void {
  const { node, place } = saved;
  const contract = RED.nodes.node(node.id);
  const isUnchanged = contract?.address === place.address && !contract.decimals;
  if (!isUnchanged || decimals === undefined || saved.decimals !== "") return;
  contract.decimals = String(decimals);
  contract.changed = true;
  RED.nodes.dirty(true);
  RED.events.emit("nodes:change", contract);
  notify(saved, "success", node._("contract.read.filled", { decimals }));
}

/** A notice of Node-RED is HTML. */
function notify({ name }: Saved, type: "warning" | "success", text: string): void {
  RED.notify(escaped(`${name}: ${text}`), { type, timeout: 15_000 });
}

function escaped(text: string): string {
  return $("<span>").text(text).html();
}

function placeIn({ id }: EditedNode): ContractPlace {
  const text = (name: string) => String(inputOf(name).val() ?? "").trim();
  const [connection, chainSelector, address] = [text("connection"), text("chainSelector"), text("address")];
  return { id, connection, chainSelector, address };
}

function stored(node: EditedNode): Partial<ContractPlace> {
  const text = (name: string) => String(node[name] ?? "").trim();
  return { chainSelector: text("chainSelector"), address: text("address") };
}

function typedDecimals(): string {
  return String(inputOf("decimals").val() ?? "").trim();
}

/** Only what is empty. */
function fillIn({ decimals, symbol }: OnChain): void {
  if (decimals !== undefined && typedDecimals() === "") {
    inputOf("decimals").val(String(decimals)).trigger("change");
  }
  const name = inputOf("name");
  if (symbol && String(name.val() ?? "").trim() === "") name.val(symbol).trigger("change");
}

function factsOf(node: EditedNode, { isContract, decimals, symbol, network }: OnChain): string {
  if (isContract === undefined) return "";
  const facts = [
    node._("contract.read.found", { network }),
    ...(symbol ? [node._("contract.read.symbol", { symbol })] : []),
    ...(decimals === undefined ? [] : [node._("contract.read.decimals", { decimals })]),
  ];
  return `${facts.join(" · ")}.`;
}

function warningOf(
  node: EditedNode,
  { isContract, decimals, oddDecimals, network }: OnChain,
  typed: string,
): string {
  if (isContract === false) return node._("contract.read.absent", { network });
  if (isContract === undefined) return node._("contract.read.silent", { network });
  if (oddDecimals !== undefined) return node._("contract.read.odd", { decimals: oddDecimals });
  if (typed === "" || isReference(typed)) return "";
  if (decimals === undefined) return node._("contract.read.no-decimals", { typed });
  return Number(typed) === decimals ? "" : node._("contract.read.differs", { decimals, typed });
}
