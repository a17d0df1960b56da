import type { CreateWatcher } from "../../src/index.ts";
import { contractOf } from "../common/fields/config-nodes.ts";
import type { FieldReader, FormContext, MessageFields } from "../common/fields/field-reader.ts";
import { loadLibrary } from "../common/library.ts";
import type { CrecMessage } from "../common/messages/message.ts";
import { translatedError } from "../common/shared/errors.ts";
import type { NODE } from "./fields.ts";

/**
 * The watcher to create or find for a message.
 * @throws what is wrong with a field, before anything is sent
 */
export async function requestOf(context: FormContext<typeof NODE>, msg: CrecMessage): Promise<CreateWatcher> {
  const { RED, fields, t } = context;
  const inMessage = fields.of(msg);
  const name = await inMessage.required("watcherName");
  const events = await inMessage.names("events");
  if (events.length === 0) {
    throw translatedError("MISSING_VALUE", t("common.error.empty", { label: fields.label("events") }));
  }
  const { checksumAddress, eventFragments } = await loadLibrary();
  const label = fields.label("address");
  const source = fields.choice("source");
  if (source !== "contract") {
    return {
      name,
      events,
      ...(source === "extension"
        ? { service: fields.choice("extension") }
        : {
            service: await inMessage.required("service"),
            service_config: await serviceConfigOf(fields, inMessage),
          }),
      chain_selector: (await inMessage.required("chainSelector")).trim(),
      address: checksumAddress(await inMessage.required("address"), label),
    };
  }
  const contract = contractOf(RED.nodes, fields.settings.contract);
  const fragments = eventFragments(await contract.abi(), events);
  // When the message should give an address and does not, the contract's own is not meant.
  const isElsewhere = (fields.settings.address ?? "").trim() !== "";
  const address = isElsewhere ? await inMessage.required("address") : contract.address;
  return {
    name,
    // Names only: a signature merely selects one of several events of the same name.
    events: [...new Set(fragments.map((fragment) => fragment.name))],
    abi: fragments,
    chain_selector: contract.chainSelector,
    address: checksumAddress(address, label),
  };
}

async function serviceConfigOf(
  fields: FieldReader<typeof NODE>,
  inMessage: MessageFields<typeof NODE>,
): Promise<Record<string, unknown>> {
  if (fields.settings.serviceConfig?.trim() === "") return {};
  const config = await inMessage.present("serviceConfig");
  if (config === undefined) return {};
  if (typeof config === "object" && !Array.isArray(config)) return config as Record<string, unknown>;
  throw fields.wrong("serviceConfig", config);
}
