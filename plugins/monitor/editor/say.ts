/** A notice of Node-RED. It takes texts for HTML: this one is shown as it is. */
export function say(text: string, type: "success" | "warning" | "error"): void {
  RED.notify($("<p>").text(text), { type, timeout: type === "success" ? 3_000 : 8_000 });
}
