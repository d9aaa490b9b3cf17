import { describeText } from "../support/text.suite.ts";

describeText("in workerd");
