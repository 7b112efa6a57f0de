"""Identifies a photo with the parts that one would build Loupe from: FastAPI, OpenCV, ONNX Runtime, psycopg, pgvector.

It has the network, the crops and the vectors of a Loupe installation, and none of its keys, credits, limits, confidence or
records. `npm run bench -- peers` starts it with DATABASE_URL, NETWORK (an ONNX file), MANIFEST (of its model), VECTORS (the
table) and THREADS (of an inference).
"""

import base64
import json
import os

import cv2
import numpy
import onnxruntime
from fastapi import FastAPI
from pgvector import HalfVector
from pgvector.psycopg import register_vector
from psycopg_pool import ConnectionPool
from pydantic import BaseModel

with open(os.environ["MANIFEST"], encoding="utf-8") as file:
    MANIFEST = json.load(file)
INPUT = MANIFEST["input"]
CROPS = MANIFEST["views"]["query"]
MEAN = numpy.array(INPUT["mean"], numpy.float32)
SCALE = numpy.array(INPUT["scale"], numpy.float32)
# Images for each crop, as many as Loupe asks for.
NEAREST = 60
PRODUCTS = 10
FIND = f"""
    SELECT product_id, name, max(similarity) AS similarity
    FROM unnest(%s::halfvec[]) AS asked (vector)
    CROSS JOIN LATERAL (
        SELECT image_id, -(embedding <#> vector) AS similarity FROM {os.environ["VECTORS"]}
        ORDER BY embedding <#> vector LIMIT {NEAREST}
    ) AS near
    JOIN product_images USING (image_id)
    JOIN catalog_rows ON id = product_id
    GROUP BY product_id, name ORDER BY similarity DESC, product_id LIMIT {PRODUCTS}"""

options = onnxruntime.SessionOptions()
options.intra_op_num_threads = int(os.environ["THREADS"])
network = onnxruntime.InferenceSession(os.environ["NETWORK"], options, providers=["CPUExecutionProvider"])
database = ConnectionPool(os.environ["DATABASE_URL"], min_size=2, max_size=16, configure=register_vector, open=True)
app = FastAPI()


class Photo(BaseModel):
    base64: str


@app.post("/identify")
def identify(photo: Photo):
    picture = cv2.imdecode(numpy.frombuffer(base64.b64decode(photo.base64), numpy.uint8), cv2.IMREAD_COLOR_RGB)
    vectors = network.run(None, {INPUT["name"]: crops_of(picture)})[0]
    vectors /= numpy.linalg.norm(vectors, axis=1, keepdims=True)
    with database.connection() as connection:
        rows = connection.execute(FIND, ([HalfVector(vector) for vector in vectors],)).fetchall()
    return {"data": [{"id": row[0], "name": row[1], "similarity": row[2]} for row in rows]}


def crops_of(picture: numpy.ndarray) -> numpy.ndarray:
    """The crops of the model, each fitted into its input: crops x height x width x 3."""
    width, height = INPUT["width"], INPUT["height"]
    batch = numpy.empty((len(CROPS), height, width, 3), numpy.float32)
    batch[:] = INPUT["background"]
    for place, (left, top, across, down) in zip(batch, CROPS):
        rows, columns = picture.shape[:2]
        x, y = round(left * columns), round(top * rows)
        crop = picture[y : y + round(down * rows), x : x + round(across * columns)]
        scale = min(width / crop.shape[1], height / crop.shape[0])
        size = (round(crop.shape[1] * scale), round(crop.shape[0] * scale))
        x, y = (width - size[0]) // 2, (height - size[1]) // 2
        place[y : y + size[1], x : x + size[0]] = cv2.resize(crop, size, interpolation=cv2.INTER_AREA)
    return (batch - MEAN) * SCALE
