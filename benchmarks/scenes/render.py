"""MuJoCo as a rasteriser: one small model per process whose mesh and texture buffers are refilled.

Compiling a model and building a render context for every image costs more than drawing it, so the
model holds a pool of vertices and texture slots; each image writes its own geometry into the pool,
uploads it, and fills the abstract scene (`MjvScene`) directly. Segmentation ids are the parts'.
"""

from __future__ import annotations

import atexit
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from physgauge.errors import EnvironmentProblem

from .geometry.camera import Camera
from .geometry.mesh import F64
from .geometry.subject import Paint, Part
from .paints import TEX, U8

_POOL = 280
"""The pool holds _POOL² vertices."""

_SLOTS = 400

_TEXTURES = 8

_SHADOW_CLIP = 2.3
"""Half the side of the square that the sun's shadow map covers, in scene units."""

_SHADOWLESS_ALPHA = 0.5
"""Paints more transparent than this cast no shadow."""

_NEAR = 0.05

_FAR = 90.0


@dataclass(frozen=True, slots=True)
class Light:
    """A directional light."""

    direction: F64
    diffuse: tuple[float, float, float]
    ambient: tuple[float, float, float]
    specular: float
    shadow: bool


@dataclass(slots=True)
class Scene:
    """What one image shows."""

    camera: Camera
    lights: Sequence[Light]
    parts: list[Part]
    """Everything drawn; index + 1 is the segmentation id."""
    shadowless: frozenset[int] = frozenset()
    """Indices of parts that cast no shadow."""
    ghosts: frozenset[int] = frozenset()
    """Indices of parts of which only the shadow is seen."""
    lit: tuple[F64, float] | None = None
    """Middle [3] and half side of the square that the shadow map covers, where not the stage's own."""


def _import_mujoco() -> tuple[Any, Any]:
    try:
        import mujoco
        from mujoco.gl_context import GLContext
    except ModuleNotFoundError as e:
        raise EnvironmentProblem(
            f"expected the packages of the [scenes] extra, got no module {e.name!r}; "
            "pip install 'physgauge[scenes]'"
        ) from e
    except (ImportError, AttributeError, OSError) as e:
        raise EnvironmentProblem(
            "expected the OSMesa library to draw with, got none; install the Debian package libosmesa6"
        ) from e
    return mujoco, GLContext


def check_platform() -> None:
    """Raises EnvironmentProblem when MuJoCo or its OpenGL library is missing here."""
    _import_mujoco()


class Stage:
    """A render context of a fixed size, reused for many images.

    Args:
        size: width and height, px.
        samples: per pixel.
        shadow: side of the shadow map, px.
        lit: half the side of the square that the sun's shadow map covers, in scene units.
    """

    _current: ClassVar[Stage | None] = None

    def __init__(
        self, size: int, samples: int = 4, shadow: int = 1024, lit: float = _SHADOW_CLIP
    ) -> None:
        self.size = size
        self._lit = lit
        self._mj, context = _import_mujoco()
        try:
            self._gl = context(size, size)
            self._take()
        except Exception as e:
            raise EnvironmentProblem(
                "expected an OSMesa context to draw with, got none; install the Debian package libosmesa6"
            ) from e
        mj = self._mj
        self._model = self._compile(samples, shadow)
        self._context = mj.MjrContext(self._model, mj.mjtFontScale.mjFONTSCALE_50)
        mj.mjr_setBuffer(mj.mjtFramebuffer.mjFB_OFFSCREEN, self._context)
        self._scene = mj.MjvScene(self._model, maxgeom=_SLOTS)
        self._rect = mj.MjrRect(0, 0, size, size)
        self._buffer = np.empty((size, size, 3), np.uint8)
        self._closed = False
        self.clear()
        # PyOpenGL cannot free contexts while the interpreter is going down.
        atexit.register(self.close)

    def _take(self) -> None:
        """Makes this stage's context the process's current one, where another stage has been used."""
        if Stage._current is not self:
            self._gl.make_current()
            Stage._current = self

    def _compile(self, samples: int, shadow: int) -> Any:
        mj = self._mj
        spec = mj.MjSpec()
        g = np.stack(np.meshgrid(np.arange(_POOL), np.arange(_POOL), indexing="ij"), -1).reshape(
            -1, 2
        )
        v = np.column_stack([g, np.sin(g[:, 0] * 0.3) * 5])
        i = (np.arange(_POOL - 1)[:, None] * _POOL + np.arange(_POOL - 1)).ravel()
        f = np.concatenate(
            [np.stack([i, i + _POOL, i + _POOL + 1], 1), np.stack([i, i + _POOL + 1, i + 1], 1)]
        )
        self._add_mesh(spec, "pool", v, f)
        corner = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]])
        tetra = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
        for k in range(_SLOTS - 1):
            self._add_mesh(spec, f"slot{k}", corner, tetra)
        for k in range(_TEXTURES):
            tex = spec.add_texture(
                name=f"t{k}", type=mj.mjtTexture.mjTEXTURE_2D, width=TEX, height=TEX, nchannel=3
            )
            tex.data = bytes(TEX * TEX * 3)
            spec.add_material(name=f"m{k}").textures[mj.mjtTextureRole.mjTEXROLE_RGB] = f"t{k}"
        spec.visual.global_.offwidth = spec.visual.global_.offheight = self.size
        spec.visual.quality.offsamples = samples
        spec.visual.quality.shadowsize = shadow
        spec.visual.map.shadowclip = self._lit
        spec.stat.extent = 1.0
        return spec.compile()

    def _add_mesh(self, spec: Any, name: str, verts: NDArray[Any], faces: NDArray[Any]) -> None:
        mesh = spec.add_mesh(
            name=name,
            uservert=verts.ravel().tolist(),
            userface=faces.ravel().tolist(),
            usertexcoord=np.zeros(2 * len(verts)).tolist(),
        )
        mesh.inertia = self._mj.mjtMeshInertia.mjMESH_INERTIA_SHELL

    def clear(self) -> None:
        """Forgets all geometry."""
        self._slots: dict[int, list[tuple[int, Paint]]] = {}
        self._kept: list[Part] = []
        self._used = [0, 0, 0]
        self._names: dict[str, int] = {}
        self._uploaded: dict[int, U8] = {}

    def textures(self, textures: dict[str, U8]) -> None:
        """Uploads the image's textures into the slots, at most 8."""
        self._take()
        for name, pixels in textures.items():
            slot = self._names.setdefault(name, len(self._names))
            if slot >= _TEXTURES:
                raise ValueError(
                    f"expected at most {_TEXTURES} textures, got {len(textures)}: {list(textures)}"
                )
            if self._uploaded.get(slot) is pixels:
                continue
            self._uploaded[slot] = pixels
            start = self._model.tex_adr[slot]
            self._model.tex_data[start : start + TEX * TEX * 3] = pixels.ravel()
            self._mj.mjr_uploadTexture(self._model, self._context, slot)

    def _load(self, part: Part) -> list[tuple[int, Paint]]:
        key = id(part)
        if key not in self._slots:
            by_paint: dict[int, list[Any]] = {}
            for piece in part.pieces:
                by_paint.setdefault(id(piece.paint), []).append(piece)
            self._slots[key] = [(self._upload(ps), ps[0].paint) for ps in by_paint.values()]
            self._kept.append(part)  # keeps id() unique while the slot lives
        return self._slots[key]

    def _upload(self, pieces: Sequence[Any]) -> int:
        m = self._model
        slot, v0, f0 = self._used
        nv = sum(len(p.mesh.verts) for p in pieces)
        nf = sum(len(p.mesh.faces) for p in pieces)
        if slot >= _SLOTS or v0 + nv > m.nmeshvert or f0 + nf > m.nmeshface:
            raise MemoryError("the scene has more geometry than the stage's pool holds")
        v, f = v0, f0
        for p in pieces:
            n, k = len(p.mesh.verts), len(p.mesh.faces)
            m.mesh_vert[v : v + n] = p.mesh.verts
            m.mesh_normal[v : v + n] = p.mesh.normals
            m.mesh_texcoord[v : v + n] = p.uv
            faces = p.mesh.faces + (v - v0)
            m.mesh_face[f : f + k] = faces
            m.mesh_facenormal[f : f + k] = faces
            m.mesh_facetexcoord[f : f + k] = faces
            v, f = v + n, f + k
        m.mesh_vertadr[slot] = m.mesh_normaladr[slot] = m.mesh_texcoordadr[slot] = v0
        m.mesh_vertnum[slot] = m.mesh_normalnum[slot] = m.mesh_texcoordnum[slot] = nv
        m.mesh_faceadr[slot], m.mesh_facenum[slot] = f0, nf
        self._mj.mjr_uploadMesh(m, self._context, slot)
        self._used = [slot + 1, v, f]
        return slot

    def _geoms(
        self, parts: Iterable[tuple[int, Part]], shadowless: frozenset[int], ghosts: frozenset[int]
    ) -> None:
        mj, n = self._mj, 0
        one, zero, eye = np.ones(3), np.zeros(3), np.eye(3).ravel()
        for segid, part in parts:
            for slot, paint in self._load(part):
                g = self._scene.geoms[n]
                # Nothing of a wholly transparent geom is seen but its shadow.
                alpha = 0.0 if segid in ghosts else paint.alpha
                rgba = np.array([*paint.rgb, alpha], np.float32)
                mj.mjv_initGeom(g, mj.mjtGeom.mjGEOM_MESH, one, zero, eye, rgba)
                g.dataid = 2 * slot
                g.segid = segid
                g.specular, g.shininess, g.emission = (
                    paint.specular,
                    paint.shininess,
                    paint.emission,
                )
                g.transparent = alpha < 1.0
                decor = part.key.startswith("backdrop") or segid in shadowless
                decor = decor or (paint.alpha < _SHADOWLESS_ALPHA)
                g.category = mj.mjtCatBit.mjCAT_DECOR if decor else mj.mjtCatBit.mjCAT_DYNAMIC
                if paint.texture in self._names:
                    g.matid = self._names[paint.texture]
                    g.texcoord = 1
                n += 1
        self._scene.ngeom = n

    def _view(self, scene: Scene) -> None:
        c, s = scene.camera, self._scene
        for cam in s.camera:
            cam.pos, cam.forward, cam.up = c.pos, c.forward, c.up
            cam.frustum_near, cam.frustum_far = _NEAR, _FAR
            half = _NEAR * c.tan
            cam.frustum_center, cam.frustum_width = half * c.shift[0], half
            cam.frustum_bottom, cam.frustum_top = half * (c.shift[1] - 1), half * (c.shift[1] + 1)
        middle, self._context.shadowClip = scene.lit or (np.zeros(3), self._lit)
        for light, to in zip(scene.lights, s.lights, strict=False):
            to.type = self._mj.mjtLightType.mjLIGHT_DIRECTIONAL
            to.dir, to.pos = light.direction, middle - 40.0 * light.direction
            to.diffuse, to.ambient = light.diffuse, light.ambient
            to.specular = [light.specular] * 3
            to.castshadow = light.shadow
            to.attenuation, to.headlight = (1.0, 0.0, 0.0), 0
        s.nlight = len(scene.lights)

    def _draw(self, scene: Scene, parts: Iterable[tuple[int, Part]], segment: bool) -> U8:
        self._take()
        mj, s = self._mj, self._scene
        self._view(scene)
        self._geoms(parts, scene.shadowless, scene.ghosts)
        f = mj.mjtRndFlag
        s.flags[f.mjRND_SEGMENT] = s.flags[f.mjRND_IDCOLOR] = segment
        s.flags[f.mjRND_SHADOW] = not segment and any(light.shadow for light in scene.lights)
        s.flags[f.mjRND_CULL_FACE] = 1
        s.flags[f.mjRND_SKYBOX] = s.flags[f.mjRND_REFLECTION] = s.flags[f.mjRND_HAZE] = 0
        mj.mjr_render(self._rect, s, self._context)
        mj.mjr_readPixels(self._buffer, None, self._rect, self._context)
        return self._buffer[::-1].copy()

    def rgb(self, scene: Scene) -> U8:
        """The picture, uint8 [size, size, 3]."""
        return self._draw(scene, list(enumerate(scene.parts)), segment=False)

    def segment(self, scene: Scene, shown: Sequence[int] | None = None) -> NDArray[np.int32]:
        """Part index + 1 per pixel (0: nothing), int32 [size, size], drawing only the parts `shown`."""
        indices = range(len(scene.parts)) if shown is None else shown
        px = self._draw(scene, [(i, scene.parts[i]) for i in indices], segment=True)
        return px[..., 0].astype(np.int32) + 256 * px[..., 1].astype(np.int32)

    def depth(self, scene: Scene) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """Part index + 1 per pixel (0: nothing) and the distance along the camera's axis.

        Both [size, size]; the distance where nothing is seen is that of the far plane.
        """
        shown = [i for i in range(len(scene.parts)) if i not in scene.ghosts]
        self._context.readDepthMap = self._mj.mjtDepthMap.mjDEPTH_ZEROFAR
        ids = self.segment(scene, shown)
        raw = np.empty((self.size, self.size), np.float32)
        self._mj.mjr_readPixels(None, raw, self._rect, self._context)
        return ids, _NEAR * _FAR / (_NEAR + raw[::-1] * (_FAR - _NEAR))

    def close(self) -> None:
        """Frees the render context; closing twice is fine."""
        if self._closed:
            return
        self._closed = True
        atexit.unregister(self.close)
        self._take()
        Stage._current = None
        self._context.free()
        self._gl.free()
