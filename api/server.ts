import { randomUUID } from 'node:crypto';
import * as http from 'node:http';
import type { Duplex } from 'node:stream';
import type { Express } from 'express';
import { type AppError, badRequest, headersTooLarge } from '../models/errors';
import { errorBody } from './middleware/error-handler';
import { watchPace } from './middleware/read-body';

/** Request line and headers together (contract 11.2). */
const HEADER_BYTES_MAX = 16 * 1024;

/** Longer than usual proxies keep idle connections, so that they never write into a closed one. */
const KEEP_ALIVE_MS = 75_000;
const HEADERS_MS_MAX = 20_000;
/** Enough for the largest photo over a slow line. */
const REQUEST_MS_MAX = 120_000;
/** A client that neither sends nor reads for this long is gone. */
const IDLE_MS_MAX = 120_000;
/** An answered client that still sends may go on at this pace, as it may read the answer only then. */
const REST_PACE = { bytesPerSecond: 1_024, windowMs: 10_000 };
/** Each middleware of a call releases something when the call ends. */
const LISTENERS_MAX = 32;
/** Requests on a connection that may wait for earlier answers; with one more it is closed. */
const WAITING_MAX = 32;

/**
 * An HTTP server around the app, not listening yet. Input that is not a valid request is refused as JSON, like all else.
 * @param answer passes requests on to the app
 */
export function createServer(app: Express, answer: http.RequestListener = app): http.Server {
  const answering = new WeakMap<Duplex, http.ServerResponse>();
  const listener = inTurn((req, res) => {
    res.setMaxListeners(LISTENERS_MAX);
    answering.set(req.socket, res);
    res.once('close', () => {
      answering.delete(req.socket);
      watchRest(req);
    });
    // A busy client must not keep a stopping server alive.
    if (!server.listening) res.setHeader('Connection', 'close');
    answer(req, res);
  });
  const server = http.createServer(
    {
      ...classesOf(app),
      maxHeaderSize: HEADER_BYTES_MAX,
      keepAliveTimeout: KEEP_ALIVE_MS,
      headersTimeout: HEADERS_MS_MAX,
      requestTimeout: REQUEST_MS_MAX,
      // The app refuses a missing Host itself, in the form of its other errors.
      requireHostHeader: false,
    },
    listener,
  );
  // An unknown expectation may be ignored (RFC 9110, 10.1.1); Node would refuse it with an empty 417.
  server.on('checkExpectation', listener);
  // A caller that waits for leave to send is given it where its body is read, or refused without sending it.
  server.on('checkContinue', listener);
  // Node would close the connection without a word. It has taken its own listeners off the socket.
  server.on('connect', (_req, socket) => {
    socket.on('error', () => undefined).once('timeout', () => socket.destroy());
    if (answering.has(socket)) return void socket.destroy();
    socket.end(rawAnswer(badRequest('This server is no proxy.')), () => socket.destroy());
  });
  server.setTimeout(IDLE_MS_MAX);
  server.on('connection', (socket) => {
    const { destroySoon } = socket;
    // Node closes a connection that is not kept alive with its answer. Data that is on the way would reset it, and lose the answer.
    socket.destroySoon = () => {
      const request = answering.get(socket)?.req;
      if (!server.listening || request?.complete !== false) return destroySoon.call(socket);
      socket.end();
      request.once('end', () => destroySoon.call(socket));
    };
  });
  server.on('clientError', (failure, socket) => {
    // Half an answer may have been sent already; a second one would corrupt it.
    if (!socket.writable || answering.get(socket)?.headersSent) return void socket.destroy();
    socket.end(rawAnswer(refusalOf(failure)), () => socket.destroy());
  });
  return server;
}

/** Disconnects an answered client that sends the rest of its request too slowly. */
function watchRest(req: http.IncomingMessage): void {
  const { socket } = req;
  if (req.complete || socket.destroyed) return;
  const rest = watchPace(
    REST_PACE,
    () => socket.bytesRead,
    () => void socket.destroy(),
  );
  socket.once('close', rest.stop);
  req.once('end', () => {
    rest.stop();
    socket.off('close', rest.stop);
  });
}

/**
 * The classes of an app's requests and answers. Express would change the prototype of each object instead; then V8 (11.3, in Node
 * 20) takes all that belongs to a call for long-lived, and collects it at several times the cost.
 */
function classesOf(app: Express) {
  class AppRequest extends http.IncomingMessage {}
  class AppResponse<Request extends http.IncomingMessage> extends http.ServerResponse<Request> {}
  Object.setPrototypeOf(AppRequest.prototype, app.request);
  Object.setPrototypeOf(AppResponse.prototype, app.response);
  Object.assign(app, { request: AppRequest.prototype, response: AppResponse.prototype });
  return { IncomingMessage: AppRequest, ServerResponse: AppResponse };
}

/**
 * Begins the requests of a connection one after the other (contract 12.8), so that each learns when the caller disconnects.
 * Node parses all requests that it has read; with too many waiting the connection is closed.
 */
function inTurn(begin: http.RequestListener): http.RequestListener {
  const waiting = new WeakMap<Duplex, number>();
  return (req, res) => {
    const { socket } = req;
    // After the answer that ends a connection, while the rest of its request still comes.
    if (socket.destroyed || socket.writableEnded) return;
    if (res.socket) return begin(req, res);
    const before = waiting.get(socket) ?? 0;
    if (before === WAITING_MAX) return void socket.destroy();
    waiting.set(socket, before + 1);
    res.once('socket', () => {
      waiting.set(socket, (waiting.get(socket) ?? 1) - 1);
      // Other connections get their turn in between.
      setImmediate(() => begin(req, res));
    });
  };
}

function refusalOf(failure: Error): AppError {
  switch ('code' in failure && failure.code) {
    case 'HPE_HEADER_OVERFLOW':
      return headersTooLarge();
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return badRequest('The request did not arrive in time.');
    default:
      return badRequest('The request is not valid HTTP.');
  }
}

function rawAnswer(failure: AppError): string {
  const requestId = randomUUID();
  const body = JSON.stringify(errorBody(failure, requestId));
  return [
    `HTTP/1.1 ${failure.status} ${http.STATUS_CODES[failure.status] ?? ''}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'Cache-Control: no-store',
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}
