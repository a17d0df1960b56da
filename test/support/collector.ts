import { readFile } from "node:fs/promises";
import type { FlowNode } from "./node-red.ts";

/** One arrival, as the flow wrote it down before anything was acknowledged. */
export type Arrival = { eventId: string; offset: number; marked: boolean; late: boolean };

/** A flow that writes each event down, line by line, and acknowledges it only after the write. */
export function collectingFlow(file: string, channel: string, settings: Record<string, unknown>): FlowNode[] {
  const z = "collect-tab";
  const line =
    'crec.eventId & " " & crec.offset & ($exists(crec.redelivered) ? " marked" : " first") & ($exists(crec.late) ? " late" : "")';
  return [
    { id: z, type: "tab", label: "collect" },
    {
      id: "collect-connection",
      type: "crec-connection",
      baseUrl: "${CREC_BASE_URL}",
      credentials: { apiKey: "${CREC_API_KEY}" },
    },
    { id: "collect-channel", type: "crec-channel", connection: "collect-connection", channel },
    {
      id: "collect-in",
      type: "crec-events-in",
      z,
      channel: "collect-channel",
      consumer: "collector",
      start: "beginning",
      types: [],
      verify: false,
      pollMin: "0.1",
      pollMax: "0.5",
      ...settings,
      wires: [["collect-line"], ["collect-rejected"]],
    },
    {
      id: "collect-line",
      type: "change",
      z,
      rules: [{ t: "set", p: "payload", pt: "msg", to: line, tot: "jsonata" }],
      wires: [["collect-write"]],
    },
    {
      id: "collect-write",
      type: "file",
      z,
      filename: file,
      filenameType: "str",
      appendNewline: true,
      createDir: false,
      overwriteFile: "false",
      encoding: "utf8",
      wires: [["collect-ack"]],
    },
    { id: "collect-ack", type: "crec-ack", z, action: "ack", wires: [[]] },
    {
      id: "collect-rejected",
      type: "debug",
      z,
      name: "rejected",
      active: true,
      complete: "crec",
      targetType: "msg",
    },
  ];
}

/** What was written so far. A line that a kill cut off in the middle is none. */
export async function arrivals(file: string): Promise<Arrival[]> {
  const text = await readFile(file, "utf8").catch(() => "");
  return text
    .slice(0, text.lastIndexOf("\n") + 1)
    .split("\n")
    .flatMap((line) => {
      const [eventId, offset, mark, late] = line.split(" ");
      return eventId && offset && mark
        ? [{ eventId, offset: Number(offset), marked: mark === "marked", late: late === "late" }]
        : [];
    });
}
