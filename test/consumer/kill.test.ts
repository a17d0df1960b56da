import { sized } from "../support/variants.ts";
import { describeKills } from "./kill-suite.ts";

describeKills(sized(10, 25));
