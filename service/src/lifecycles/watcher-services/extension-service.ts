import { eventFragments, parseAbi } from "../../../../src/abi/index.ts";
import { EXTENSIONS } from "../../../../src/protocol/index.ts";
import { unknownSetting, type WatcherService } from "./service.ts";

/** The events of the extension, and which contracts it accepts: any, since others may have the same events. */
export function extensionService(name: string): Pick<WatcherService, "events" | "refusal"> {
  const extension = EXTENSIONS.find(({ service }) => service === name);
  const events = (extension?.events ?? []).map((event) => `event ${event.name}(${event.inputs})`);
  const abi = parseAbi(events.join("\n"));
  return {
    events: eventFragments(
      abi,
      (extension?.events ?? []).map((event) => event.name),
    ),
    async refusal(chain, address, config) {
      const unknown = unknownSetting(config, []);
      if (unknown !== undefined) return unknown;
      return (await chain.code(address)) === "0x" ? `There is no contract at ${address}.` : undefined;
    },
  };
}
