import 'reflect-metadata';
import { DemoProcess } from './demo-process';

declare global {
  var demoProcess: DemoProcess | undefined;
}

/** One demonstration for all files of tests; its address and settings reach them through the environment. */
export default async function startDemo(): Promise<void> {
  const demo = await DemoProcess.start();
  globalThis.demoProcess = demo;
  process.env['E2E_URL'] = demo.url;
  process.env['E2E_TEXT'] = demo.text;
  process.env['E2E_SETTINGS'] = JSON.stringify(demo.settings);
}
