import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { NodeAPI } from "node-red";
import should from "should";
import { reasonWord, serviceStatus } from "../../nodes/common/messages/service-words.ts";
import { REJECTION_REASONS } from "../../plugins/monitor/monitoring/bounds.ts";
import {
  OPERATION_STATUSES,
  QUERY_STATUSES,
  WALLET_STATUSES,
  WATCHER_STATUSES,
} from "../../src/protocol/index.ts";

const STATUSES = [...OPERATION_STATUSES, ...QUERY_STATUSES, ...WATCHER_STATUSES, ...WALLET_STATUSES];
/** Under a node, where others are beside and below it. */
const LONGEST = 32;

describe("what a person reads for words of the service", () => {
  for (const tag of ["en-US", "de", "ja", "zh-CN"]) {
    const RED = nodeRedIn(tag);

    it(`has a word for each status and each reason of a rejection: ${tag}`, () => {
      for (const status of STATUSES) should(RED._(`common.service.${status}`)).not.startWith("common.");
      for (const reason of REJECTION_REASONS)
        should(RED._(`common.reason.${reason}`)).not.startWith("common.");
    });

    it(`has the same words in the forms: ${tag}`, () => {
      for (const node of ["submit-operation", "operation"]) {
        const texts = catalog(`nodes/${node}`, tag, node)[node] as Texts;
        const { any: _, ...words } = texts.waitFor as Texts;
        should(words).have.property("confirmed_latest");
        for (const [status, word] of Object.entries(words))
          should(word).equal(RED._(`common.service.${status}`));
      }
    });

    it(`tells statuses and reasons apart: ${tag}`, () => {
      const texts = [...new Set(STATUSES)].map((status) => serviceStatus(RED._, status).text);
      const reasons = REJECTION_REASONS.map((reason) => reasonWord(RED._, reason));
      for (const words of [texts, reasons]) {
        should(new Set(words).size).equal(words.length);
        should(words.filter((word) => word.includes("_"))).be.empty();
      }
    });
  }

  const RED = nodeRedIn("en-US");

  it("fits under a node, with what nodes say about it", () => {
    const { common } = catalog("nodes/common", "en-US", "common");
    const unproven = (text: string) => String(common?.status?.unproven).replace("__status__", text);
    const found = (text: string) => `found: ${text}`;
    const rejected = REJECTION_REASONS.map((reason) => `rejected: ${reasonWord(RED._, reason)}`);
    const statuses = STATUSES.map((status) => serviceStatus(RED._, status).text);
    const confirmed = ["confirmed_latest", "confirmed_safe", "confirmed"].map((status) =>
      unproven(serviceStatus(RED._, status).text),
    );
    const all = [...statuses, ...statuses.map(found), ...confirmed, ...rejected];
    should(all.filter((text) => text.length > LONGEST)).be.empty();
  });

  it("leaves the word of the service to flows, as the code of the status", () => {
    should(serviceStatus(RED._, "confirmed_latest")).deepEqual({
      code: "confirmed_latest",
      text: "included (not final)",
    });
  });

  it("reads a status of a newer service without its underscores", () => {
    should(serviceStatus(RED._, "paused_by_owner")).deepEqual({
      code: "paused_by_owner",
      text: "paused by owner",
    });
    should(serviceStatus(RED._, "").text).equal("");
  });
});

type Texts = { [key: string]: Texts & string };

function catalog(folder: string, tag: string, name: string): Texts {
  const path = fileURLToPath(new URL(`../../${folder}/locales/${tag}/${name}.json`, import.meta.url));
  return JSON.parse(readFileSync(path, "utf8")) as Texts;
}

/** As Node-RED looks texts up: one that is missing is its key. */
function nodeRedIn(tag: string): NodeAPI {
  const texts = catalog("nodes/common", tag, "common");
  const textOf = (key: string) => {
    const found = key.split(".").reduce<Texts | undefined>((inner, part) => inner?.[part], texts);
    return typeof found === "string" ? found : key;
  };
  return { _: textOf } as unknown as NodeAPI;
}
