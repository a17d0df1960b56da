/** A process that opens a store of an earlier version, and is killed while it stores the second block of the index. */
import { EventTail } from "../src/store/events/tail.ts";
import { Store } from "../src/store/store.ts";

const { store } = EventTail.prototype;
EventTail.prototype.store = function () {
  store.call(this);
  if (this.block === 1) process.kill(process.pid, "SIGKILL");
};
new Store(process.argv[2] ?? "");
