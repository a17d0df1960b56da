import { DatabaseSync } from "node:sqlite";
import should from "should";
import { HttpRequestError, RpcRequestError, TimeoutError } from "viem";
import { NodeBusy } from "../src/chain/node/refusals.ts";
import { ChainMoved, isOfOneLog, SkippedLogs } from "../src/lifecycles/logs/skipped.ts";
import { logTo } from "./support.ts";

const url = "http://node.example";
const thrownBy = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    return error;
  }
};

describe("what is thrown while a log is read, signed or stored", () => {
  it("is not of this log where the chain, the node or the disk is the reason", () => {
    const full = new DatabaseSync(":memory:");
    full.exec("CREATE TABLE a (b TEXT); PRAGMA max_page_count = 3");
    const insert = full.prepare("INSERT INTO a VALUES (?)");
    const refused = thrownBy(() => insert.run("x".repeat(1_000_000)));
    full.close();
    const ofAll = [
      ...[
        new ChainMoved(),
        new NodeBusy(),
        new TimeoutError({ body: {}, url }),
        new HttpRequestError({ url }),
      ],
      new RpcRequestError({ body: {}, error: { code: -32000, message: "header not found" }, url }),
      ...[refused, thrownBy(() => full.exec("SELECT 1"))],
      Object.assign(new Error("no space left on device"), { code: "ENOSPC", errno: -28 }),
    ];
    for (const error of ofAll) {
      should(error).be.an.Error();
      should(isOfOneLog(error)).equal(false, String(error));
    }
  });

  it("is of this log in all other cases, and counted once", () => {
    const lines: string[] = [];
    const skipped = new SkippedLogs(logTo((line) => lines.push(line)));
    const tooBig = Object.assign(new Error("string or blob too big"), { errcode: 18 });
    const log = { blockHash: "0x12", blockNumber: 7, logIndex: 3, transactionHash: "0xab" } as const;
    const raw = { ...log, address: "0x", topics: [], data: "0x" } as const;
    for (const error of [new TypeError("a is undefined"), tooBig, "text"]) {
      skipped.skip({ watcher_id: "w" }, { ...raw, topics: [] }, error);
    }
    should(skipped.count).equal(1);
    should(lines).eql(["Watcher w skips log 3 of block 7, transaction 0xab: a is undefined"]);
    should(() => skipped.skip({ watcher_id: "w" }, { ...raw, topics: [] }, new ChainMoved())).throw(
      ChainMoved,
    );
  });
});
