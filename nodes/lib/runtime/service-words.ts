import type { NodeAPI } from "node-red";
import type { StatusText } from "./status.ts";

/** A status of the service, such as `confirmed`, as a word under a node. */
export function serviceStatus(RED: NodeAPI, status: string): StatusText {
  return { code: status, text: statusWord(RED, status) };
}

/** What a person reads for a status of the service: of a newer service, its own word. */
export function statusWord(RED: NodeAPI, status: string): string {
  return known(status, RED._(`common.service.${status}`));
}

/** What a person reads for the reason why an event is rejected. */
export function reasonWord(RED: NodeAPI, reason: string): string {
  return known(reason, RED._(`common.reason.${reason}`));
}

/** A catalog without the text gives its key. */
function known(word: string, text: string): string {
  return text.endsWith(`.${word}`) ? word.replaceAll("_", " ") : text;
}
