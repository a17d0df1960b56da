import type { ConfigNode, EditedNode } from "../../common/editor/api.ts";
import { warnOfMissingDecimals } from "../../common/editor/calls/decimals.ts";
import { partOf } from "../../common/editor/form-fields.ts";
import { hintUnder, inputOf } from "../../common/editor/form-rows.ts";
import { offerEventNames } from "../../common/editor/lookups/event-names.ts";
import { isNew } from "../../common/editor/lookups/only-choice.ts";
import type { NodeForm } from "../../common/editor/node-form.ts";
import { configName, eventsIn, withCount } from "../../common/editor/node-label.ts";
import { TYPED } from "../../common/editor/while-open.ts";
import { LIST_TYPES } from "../../common/shared/common-fields.ts";
import { isChosen, isReference } from "../../common/shared/variables.ts";
import { NODE } from "../fields.ts";
import { addLastEvent, type Panel, showPanel } from "./panel.ts";
import { showSummary } from "./summary.ts";

const SECONDS_PER_HOUR = 3600;
const DEFAULT_POLL_SECONDS = 15;
const MIN_POLL_SECONDS = 0.1;
/** What submit operation waits by default. */
const LONG_WAIT_SECONDS = 300;

let panel: Panel | undefined;

export const form: NodeForm = {
  label: (node) => {
    const channel = configName(node.channel);
    const types = Array.isArray(node.types) ? withCount(node.types) : "";
    const isUsual = types === "" || types === "watcher.event";
    const events = eventsIn(node, "contractEvent") || (isUsual ? node._("events-in.palette") : types);
    return channel ? node._("common.label-of.events", { events, channel }) : "";
  },
  added(node) {
    // Of one that is dropped from the palette nothing is filled in; an imported node keeps what it says.
    if (!node.consumer && node.confidence === "" && isEmptyList(node.types)) {
      node.types = [NODE.fields.types.usual];
      node.confidence = "highest";
    }
    node.consumer ||= newConsumer();
  },
  // A copy gets a consumer name of its own: two with one name would share a cursor. A node that was moved or imported
  // keeps its name, and with it its cursor; so does one that is deployed.
  came(node) {
    if (isTaken(node) && !isDeployed(node)) node.consumer = newConsumer();
  },
  opened(node) {
    warnOfShortTimeout(node);
    listStores(node);
    noteUnusedStore(node);
    showCallRate(node);
    warnOfMissingDecimals(node);
    const [channel, contract] = [inputOf("channel"), inputOf("contract")];
    offerEventNames(node, {
      ...{ name: "contractEvent", types: LIST_TYPES.slice(1), isList: true },
      channels: () => [String(channel.val() ?? "")],
      contract: () => String(contract.val() ?? ""),
      depends: channel.add(contract),
    });
    showSummary(node);
    const container = $("#crec-events-in-panel");
    // A new node has none yet.
    partOf(NODE, "state").prop("open", !isNew(node));
    addLastEvent(node, container);
    panel = showPanel(node, container);
  },
  saved: () => panel?.close(),
  cancelled: () => panel?.close(),
};

function newConsumer(): string {
  return `events-${RED.nodes.id()}`;
}

/** Whether another node in the editor has the consumer name. A subflow's variable stands for a name in that subflow only. */
function isTaken({ id, z, consumer }: ConfigNode): boolean {
  const isInside = isReference(String(consumer)) && !!RED.nodes.subflow(String(z));
  let isTaken = false;
  RED.nodes.eachNode((other) => {
    if (other.type !== "crec-events-in" || other.id === id || other.consumer !== consumer) return;
    if (!isInside || other.z === z) isTaken = true;
  });
  return !!consumer && isTaken;
}

/** Whether the node comes with the deployed flows, as when they are loaded, or when its deletion is undone. */
function isDeployed({ id, consumer }: ConfigNode): boolean {
  return !!RED.nodes.originalFlow()?.some((one) => one.id === id && one.consumer === consumer);
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** An event is sent again after the timeout: the flow should not still be processing it then. */
function warnOfShortTimeout(node: EditedNode): void {
  const field = $("#node-input-ackTimeout");
  const hint = hintUnder(field);
  const warn = (): void => {
    const text = String(field.val() ?? "").trim();
    const isLong = isReference(text) || (text !== "" && Number(text) >= LONG_WAIT_SECONDS);
    hint.say(isLong ? "" : node._("events-in.hint.ackTimeout", { seconds: LONG_WAIT_SECONDS }));
  };
  field.on(TYPED, warn);
  warn();
}

/** The context stores of this Node-RED; a stored name that is not among them stays. */
function listStores(node: EditedNode): void {
  const stored = String(node.store ?? "");
  const names = new Set([...(RED.settings.context?.stores ?? []), ...(stored ? [stored] : [])]);
  const select = $("#node-input-store");
  select.append($("<option>").val("").text(node._("events-in.store.file")));
  for (const name of names)
    select.append($("<option>").val(name).text(node._("events-in.store.context", { name })));
  select.val(stored);
}

/** Copies that share the cursor do not keep it in a file or a context store. */
function noteUnusedStore(node: EditedNode): void {
  const [fleet, hint] = [inputOf("fleet"), hintUnder(inputOf("store"))];
  const show = (): void => hint.say(isChosen(fleet.val()) ? node._("events-in.hint.store") : "");
  fleet.on("change", show);
  show();
}

/** How many calls an idle node makes: some plans have a limit. */
function showCallRate(node: EditedNode): void {
  const field = $("#node-input-pollMax");
  const hint = hintUnder(field);
  const show = (): void => {
    const seconds = Math.max(Number(field.val()) || DEFAULT_POLL_SECONDS, MIN_POLL_SECONDS);
    hint.say(node._("events-in.hint.calls", { count: Math.round(SECONDS_PER_HOUR / seconds) }));
  };
  field.on(TYPED, show);
  show();
}
