import { describeKills } from "./kill-suite.ts";

describeKills(25);
