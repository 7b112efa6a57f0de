import type { Knex } from 'knex';
import sharp from 'sharp';
import type { LifecycleState } from '../../api/api-services';
import { createApp } from '../../api/app';
import type { QueryAnswer } from '../../api/client/schema';
import { createServer } from '../../api/server';
import { PORTS, type Prediction, type Token } from '../../models/ports';
import type { EmbeddingVersion } from '../../models/vision/embedding-model';
import type { SearchedVersion } from '../../models/vision/neighbours';
import { apiSettings, servicesOf } from '../../scripts/composition/api-wiring';
import { type Overrides, openLoupe } from '../../scripts/composition/container';
import { type Config, processEnvironment, readConfig } from '../../scripts/config';
import { ApiClient } from './api-client';
import { type CatalogSource, createFixtureData, FIXTURE } from './fixture-data';
import { HandClock } from './hand-clock';
import { listening } from './local-server';
import { LogSink } from './log-sink';
import { type KeyOptions, openAccount, type Payer } from './open-account';
import { VisionQueueFake } from './vision-queue-fake';

export interface TestKey extends Payer {
  readonly api: ApiClient;
}

/** A product, null for a picture that no row shows any more, and its picture's distance from a photo or from each of several. */
export type Seen = readonly [id: string | null, distance: number | readonly number[]];

/** Small enough that photos over the limit are quick to send. */
const SETTINGS = { LOG_LEVEL: 'silent', RATE_PER_SECOND: '0', IMAGE_BYTES_MAX: String(256 * 1024) };

/**
 * The service with the fixture catalog for the tests of one file: the container, stores and HTTP of production, on the
 * database and Redis of `TEST_DATABASE_URL` and `TEST_REDIS_URL` or the embedded adapters. Only the workers are faked.
 * @param overrides ports to fake beside the queue
 * @param catalog another than the fixture
 */
export function useService(
  settings: Readonly<Record<string, string>> = {},
  overrides: Overrides = {},
  catalog: CatalogSource = FIXTURE,
): TestService {
  const service = new TestService(settings, overrides, catalog);
  beforeAll(() => service.start());
  afterAll(() => service.stop());
  return service;
}

export class TestService {
  readonly clock = new HandClock();
  readonly log = new LogSink();
  readonly queue = new VisionQueueFake(
    () => this.liveVersion(),
    (imageIds, scope) => this.resolve(PORTS.CatalogRepository).productsShowing(imageIds, scope),
  );
  /** A small PNG as it is sent; set once the service runs. Its base64 uses both special characters and needs padding. */
  readonly photo = { base64: '' };
  /** What the process reports about itself; tests may change it. */
  lifecycle: LifecycleState = 'ready';
  private started: Awaited<ReturnType<TestService['open']>> | undefined;
  private own: TestKey | undefined;

  constructor(
    private readonly settings: Readonly<Record<string, string>>,
    private readonly overrides: Overrides = {},
    private readonly catalog: CatalogSource = FIXTURE,
  ) {}

  get photoBytes(): Buffer {
    return Buffer.from(this.photo.base64, 'base64');
  }

  get url(): string {
    return this.running.url;
  }

  get config(): Config {
    return this.running.loupe.config;
  }

  get key(): TestKey {
    if (!this.own) throw new Error('the service has not started');
    return this.own;
  }

  get api(): ApiClient {
    return this.key.api;
  }

  get anybody(): ApiClient {
    return new ApiClient(this.url, null);
  }

  async start(): Promise<void> {
    this.photo.base64 = (await drawPhoto()).toString('base64');
    this.started = await this.open();
    this.own = await this.newKey();
    // Earlier files may have left some.
    const vectors = `embeddings_${(await this.liveVersion()).id}`;
    for (const table of ['vision_jobs', 'webhook_endpoints', vectors]) await this.knex(table).delete();
  }

  private async open() {
    const { TEST_REDIS_URL } = processEnvironment();
    const data = await createFixtureData(this.catalog);
    const redis = { REDIS_URL: TEST_REDIS_URL, QUEUE_PREFIX: `t${Date.now()}-${process.pid}` };
    const config = readConfig({
      ...{ ...SETTINGS, ...data.settings, ...(TEST_REDIS_URL === undefined ? {} : redis), ...this.settings },
    });
    const fakes = { [PORTS.Clock]: this.clock, [PORTS.VisionQueue]: this.queue, ...this.overrides };
    // The workers are fakes, so none are started here, and no model is loaded.
    const loupe = await openLoupe(config, { answersQueues: false, servesHttp: true }, fakes);
    const apiOptions = { ...apiSettings(config, loupe, () => this.lifecycle), logger: this.log.logger };
    const server = createServer(createApp(servicesOf(loupe.container), apiOptions));
    return { loupe, server, url: `http://${await listening(server)}`, data };
  }

  async liveVersion(): Promise<EmbeddingVersion & SearchedVersion> {
    const live = await this.resolve(PORTS.EmbeddingRepository).live();
    if (!live) throw new Error('the fixture has no live version');
    return { ...live, calibration: live.manifest.calibration };
  }

  async stop(): Promise<void> {
    if (!this.started) return;
    const { server, loupe, data } = this.started;
    server.closeAllConnections();
    server.close();
    await loupe.close();
    await data.remove();
  }

  async row(id: string, includes?: string): Promise<QueryAnswer['data'][number]> {
    const [row] = (await this.api.item(id, includes)).body.data;
    if (!row) throw new Error(`there is no row ${id}`);
    return row;
  }

  async newKey(options: KeyOptions = {}): Promise<TestKey> {
    const payer = await openAccount(this.knex, options, this.clock);
    return { ...payer, api: new ApiClient(this.url, payer.key) };
  }

  async revoke(keyId: string): Promise<void> {
    await this.resolve(PORTS.AccountRepository).revokeKey(keyId);
  }

  async balance(accountId: string): Promise<number | null> {
    return (await this.resolve(PORTS.AccountRepository).account(accountId))?.credits ?? null;
  }

  async creditsBooked(accountId: string): Promise<number> {
    const lines = await this.resolve(PORTS.CreditLedger).usage(accountId, null, null);
    return lines.reduce((sum, line) => sum + line.credits, 0);
  }

  prediction(id: string): Promise<Prediction | null> {
    return this.resolve(PORTS.PredictionRepository).find(id);
  }

  /** From now on every photo looks like the pictures of these products, at these cosine distances. */
  async sees(...products: readonly Seen[]): Promise<void> {
    const neighbours = await Promise.all(
      products.map(async ([id, given]) => {
        const byPhoto = [given].flat();
        const seen = { distance: Math.min(...byPhoto), ...(byPhoto.length > 1 ? { byView: byPhoto } : {}) };
        if (id === null) return { imageId: 1_000_000, ...seen };
        return { imageId: await this.imageOf(id), ...seen };
      }),
    );
    this.queue.sees(neighbours);
  }

  /** Before each test the queue is empty, and photos look like these products. */
  seesInEachTest(...products: readonly Seen[]): void {
    beforeEach(async () => {
      this.queue.reset();
      await this.sees(...products);
    });
  }

  async imageOf(product: string): Promise<number> {
    const images = this.knex('product_images').where({ product_id: product }).orderBy('image_id');
    const image = await images.first('image_id');
    if (!image) throw new Error(`the fixture has no picture of ${product}`);
    return Number(image.image_id);
  }

  get knex(): Knex {
    return this.running.loupe.database.knex;
  }

  resolve<Port>(token: Token<Port> | (abstract new (...given: never[]) => Port)): Port {
    return this.running.loupe.container.resolve<Port>(token as symbol);
  }

  private get running() {
    if (!this.started) throw new Error('the service runs in tests only, not while they are collected');
    return this.started;
  }
}

async function drawPhoto(): Promise<Buffer> {
  const pixels = Buffer.from(
    Array.from({ length: 32 * 32 * 3 }, (_, index) => (index * index * 31 + index * 7) % 256),
  );
  const png = await sharp(pixels, { raw: { width: 32, height: 32, channels: 3 } })
    .png()
    .toBuffer();
  // Readers ignore what follows the end of a PNG.
  return Buffer.concat([png, Buffer.alloc((4 - (png.length % 3)) % 3)]);
}
