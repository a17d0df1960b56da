import { postJson, requestFailure } from "../lib/editor/admin-requests.ts";
import type { EditedNode } from "../lib/editor/api.ts";
import { inputOf, partOf } from "../lib/editor/form-fields.ts";
import { trackOpen } from "../lib/editor/form-open.ts";
import { ADDRESS, isReference } from "../lib/editor/validate.ts";
import type { Answer, ContractPlace, OnChain } from "../lib/shared/form-types.ts";
import { NODE } from "./fields.ts";

/** The place that this form has read last, so that the same is not read again when it closes. */
let lastRead = "";

/** The button "Read from the chain". */
export function readButton(node: EditedNode): void {
  lastRead = "";
  const result = partOf(NODE, "read-result");
  const isOpen = trackOpen(result);
  let newest = 0;
  const say = (text: string, tone: "success" | "warning" | "error" | "secondary"): void => {
    const colour = tone === "secondary" ? "--red-ui-secondary-text-color" : `--red-ui-text-color-${tone}`;
    result.text(text).css("color", `var(${colour})`);
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
    const answer = await postJson<OnChain>("crec/contract/read", place).catch((failure: unknown) => ({
      ...{ problem: requestFailure(node, failure, "crec.write"), code: "UNANSWERED" },
    }));
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
  const canBeRead = place.connection !== "" && place.connection !== "_ADD_" && place.chainSelector !== "";
  if (isKnown || !canBeRead || !(ADDRESS.test(place.address) || isReference(place.address))) return;
  const decimals = typedDecimals();
  const name = String(inputOf("name").val() || place.address);
  postJson<OnChain>("crec/contract/read", place).then(
    (answer) => report(node, { name, decimals, place }, answer),
    // Without the permission, or without Node-RED: nobody asked for this.
    () => undefined,
  );
}

type Saved = { name: string; decimals: string; place: ContractPlace };

/** What could not be read is no warning: the form has a button that says why. */
function report(node: EditedNode, { name, decimals, place }: Saved, answer: Answer<OnChain>): void {
  if (answer.problem !== undefined) return;
  const warning = warningOf(node, answer, decimals);
  if (warning) RED.notify(`${escaped(name)}: ${escaped(warning)}`, { type: "warning", timeout: 15_000 });
  const contract = RED.nodes.node(node.id);
  const isUnchanged = contract && contract.address === place.address && !contract.decimals;
  if (!isUnchanged || answer.decimals === undefined || decimals !== "") return;
  contract.decimals = String(answer.decimals);
  contract.changed = true;
  RED.nodes.dirty(true);
  RED.events.emit("nodes:change", contract);
  const filled = node._("contract.read.filled", { decimals: answer.decimals });
  RED.notify(`${escaped(name)}: ${escaped(filled)}`, { type: "success" });
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

function warningOf(node: EditedNode, { isContract, decimals, network }: OnChain, typed: string): string {
  if (isContract === false) return node._("contract.read.absent", { network });
  if (isContract === undefined) return node._("contract.read.silent", { network });
  if (typed === "" || isReference(typed)) return "";
  if (decimals === undefined) return node._("contract.read.no-decimals", { typed });
  return Number(typed) === decimals ? "" : node._("contract.read.differs", { decimals, typed });
}

/** A notice of Node-RED is HTML. */
function escaped(text: string): string {
  return $("<span>").text(text).html();
}
