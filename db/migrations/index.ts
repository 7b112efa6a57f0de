import { firstVersion } from './first-version';
import type { SchemaSteps } from './migrate';

/** Every migration by name, in order. Names are kept until a release resets the schema: a database remembers them. */
export const migrations: SchemaSteps = { '202611261300-first-version': firstVersion };
